import type { AllStreamRecordedEvent } from '@eventstore/db-client';

export type SurveyRow = Readonly<{ service: string; streams: number; events: number }>;
export type Survey = Readonly<{
  services: readonly SurveyRow[];
  /** Data keys that something is encrypted under. */
  dataKeys: readonly string[];
}>;

/** Counts what there is of each service. `names`: of their streams; its first group is the service. */
export const surveyor = (names: RegExp) => {
  const rows = new Map<string, SurveyRow>();
  const dataKeys = new Set<string>();
  return {
    see: ({ streamId, type, revision, metadata }: Readonly<AllStreamRecordedEvent>): void => {
      const service = names.exec(streamId)?.[1];
      if (service === undefined || type.startsWith('$')) return;
      const { streams, events } = rows.get(service) ?? { streams: 0, events: 0 };
      rows.set(service, { service, streams: streams + (revision === 0n ? 1 : 0), events: events + 1 });
      const { dataKey } = (metadata ?? {}) as { dataKey?: string | null };
      if (dataKey) dataKeys.add(dataKey);
    },
    seen: (): Survey => ({
      services: [...rows.values()].sort((a, b) => (a.service < b.service ? -1 : 1)),
      dataKeys: [...dataKeys],
    }),
  };
};
