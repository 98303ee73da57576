import type { OwnedKey } from '@causeway/data-keys';
import type { AllStreamRecordedEvent } from '@eventstore/db-client';

type Held = Omit<OwnedKey, 'id' | 'service'> & Readonly<{ dataKey: string | null }>;

export type SurveyRow = Readonly<{ service: string; streams: number; events: number }>;
export type Survey = Readonly<{
  services: readonly SurveyRow[];
  /** Data keys that something is encrypted under. */
  dataKeys: readonly OwnedKey[];
}>;

/** Counts what there is of each service. `names`: of their streams; its first group is the service. */
export const surveyor = (names: RegExp) => {
  const rows = new Map<string, SurveyRow>();
  const dataKeys = new Map<string, OwnedKey>();
  return {
    see: ({ streamId, type, revision, metadata }: Readonly<AllStreamRecordedEvent>): void => {
      const service = names.exec(streamId)?.[1];
      if (service === undefined || type.startsWith('$')) return;
      const { streams, events } = rows.get(service) ?? { streams: 0, events: 0 };
      rows.set(service, { service, streams: streams + (revision === 0n ? 1 : 0), events: events + 1 });
      const { dataKey, organization, environment } = (metadata ?? {}) as Partial<Held>;
      if (dataKey) dataKeys.set(dataKey, { id: dataKey, service, organization, environment } as OwnedKey);
    },
    seen: (): Survey => ({
      services: [...rows.values()].sort((a, b) => (a.service < b.service ? -1 : 1)),
      dataKeys: [...dataKeys.values()],
    }),
  };
};
