import { bai2Entry } from './bai2/entry.ts';
import { bai2Parser } from './bai2/parser.ts';
import { camtEntry } from './camt/entry.ts';
import { camtParser } from './camt/parser.ts';
import { detectFormat, headBytes } from './detect.ts';
import type { BankFileFormat, EntryContext, EventSink, FileEvent, FileParser, ReadEntry } from './file-event.ts';
import { accountsMax, anomalyCharsMax, closingsMax, entriesMax, integerDigitsMax, statementsMax } from './limits.ts';
import { Refused, refuse } from './refused.ts';
import { unpacked } from './unpack.ts';

const parserFor = (head: Buffer, wanted: BankFileFormat | null, sink: EventSink): FileParser => {
  if (head.length === 0) refuse('the file is empty', { offset: 0 });
  const format = wanted ?? detectFormat(head) ?? refuse('not a bank file of a known format', { offset: 0 });
  if (format === 'bai2') return bai2Parser(sink);
  if (format === 'xml' || format.startsWith('camt.')) return camtParser(sink, head);
  sink({ type: 'format', format });
  return refuse(`format ${format} is not supported`, { offset: 0 });
};

/** Holds back the head of the file until there is enough of it to know the format. */
const detectingParser = (wanted: BankFileFormat | null, sink: EventSink): FileParser => {
  let head: Buffer = Buffer.alloc(0);
  let parser: FileParser | null = null;
  const start = (): FileParser => {
    const started = parserFor(head, wanted, sink);
    started.write(head);
    return started;
  };
  return {
    write: (bytes) => {
      if (parser !== null) return parser.write(bytes);
      head = Buffer.concat([head, bytes]);
      if (head.length >= headBytes) parser = start();
    },
    end: () => (parser ?? start()).end(),
  };
};

const amountsIn = (event: FileEvent): readonly (string | null)[] => {
  if (event.type === 'entry') return [event.entry.content.amount];
  if (event.type !== 'balances') return [];
  const { opening, closing, available, current, currentAvailable, closings } = event.balances;
  return [opening, closing, available, current, currentAvailable, ...closings.map(({ amount }) => amount)];
};

const isTooLarge = (amount: string | null): boolean =>
  amount !== null && (/\d+/.exec(amount)?.[0].length ?? 0) > integerDigitsMax;

/** What the events of one file add up to, refused where it is more than a file may hold. */
const totals = () => {
  const accounts = new Set<string>();
  let [statements, entries, closings] = [0, 0, 0];
  return (event: FileEvent): void => {
    if (event.type === 'entry') entries += 1;
    if (event.type === 'balances') closings += event.balances.closings.length;
    if (event.type === 'statement') {
      const { bank, number, currency } = event.statement.account;
      statements += 1;
      accounts.add(JSON.stringify([bank, number, currency]));
    }
    if (statements > statementsMax) refuse(`more than ${statementsMax} statements`);
    if (accounts.size > accountsMax) refuse(`more than ${accountsMax} accounts`);
    if (entries > entriesMax) refuse(`more than ${entriesMax} entries`);
    if (closings > closingsMax) refuse(`more than ${closingsMax} closing balances`);
  };
};

const limited = (sink: EventSink): EventSink => {
  const count = totals();
  return (event) => {
    count(event);
    if (amountsIn(event).some(isTooLarge)) refuse(`an amount of more than ${integerDigitsMax} integer digits`);
    sink(event.type === 'anomaly' ? { ...event, text: event.text.slice(0, anomalyCharsMax) } : event);
  };
};

/**
 * A bank file, gzip or not, → what it holds, in one pass and in little memory whatever its size. Ends with `refused`
 * where the file cannot be booked; faults of `chunks` are thrown on. `format` overrides what the content says.
 */
export async function* readBankFile(
  chunks: AsyncIterable<Uint8Array>,
  options: Readonly<{ format?: BankFileFormat }> = {},
): AsyncGenerator<FileEvent> {
  let events: FileEvent[] = [];
  const parser = detectingParser(
    options.format ?? null,
    limited((event) => void events.push(event)),
  );
  const drain = (): readonly FileEvent[] => {
    const drained = events;
    events = [];
    return drained;
  };
  try {
    for await (const chunk of unpacked(chunks)) {
      parser.write(chunk);
      yield* drain();
    }
    parser.end();
    yield* drain();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    yield* drain();
    yield { type: 'refused', refusal: error.refusal };
  }
}

/** The record of an entry as `readBankFile` told it, in its context → the same entry again. */
export const readEntryRecord = (format: BankFileFormat, record: string, context: EntryContext): ReadEntry =>
  format === 'bai2' ? bai2Entry(record, context) : camtEntry(record, context);
