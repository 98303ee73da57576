import { everyRow, type Json } from '../api.ts';
import type { Quiet } from '../check.ts';

/** What may have made a row what it is, by what happened at the bank. */
const causes: Readonly<Record<string, readonly string[]>> = {
  'post-pending': ['posted'],
  'cancel-pending': ['cancelled'],
  'restate-transaction': ['restated'],
  'reverse-transaction': ['reversed'],
  'withdraw-transaction': ['withdrawn'],
};
/** Rows that are looked at: each costs a request. */
const rowsMax = 15;

const faultsOf = (id: string, history: readonly Json[], now: Json | undefined, known: readonly string[]): string[] => {
  const last = history.at(-1);
  const times = history.map((version) => String(version['recordedAt']));
  const strange = history.slice(1).filter((version) => !known.includes(String(version['cause'])));
  return [
    ...(JSON.stringify(last?.['transaction'] ?? null) === JSON.stringify(now ?? null)
      ? []
      : [`the history of ${id} does not end in what the list shows`]),
    ...(history[0]?.['cause'] === 'recorded'
      ? []
      : [`the history of ${id} begins with ${String(history[0]?.['cause'])}`]),
    ...(times.every((time, place) => place === 0 || time > String(times[place - 1]))
      ? []
      : [`the history of ${id} is not in order`]),
    ...strange.map((version) => `${id}: ${String(version['cause'])}, and nothing of the kind happened`),
  ];
};

/** The history of rows that moved: it ends in what is shown, and each change has a cause that there was. */
export const checkHistory = async ({ api, told, did }: Quiet): Promise<string[]> => {
  const known = [...did.keys()].flatMap((scenario) => causes[scenario] ?? []);
  // Without ids that hold, a row that reads otherwise may count as one that goes and one that comes, or comes back.
  if (did.has('reissue-ids') || did.has('missing-ids')) known.push('withdrawn', 'cancelled', 'reinstated', 'restated');
  const faults = [...told.moved].slice(-rowsMax).map(async (id) => {
    const history = await everyRow(api, `/v1/transactions/${id}/history?limit=100`);
    return faultsOf(id, history, told.replica.get(id), known);
  });
  return (await Promise.all(faults)).flat();
};
