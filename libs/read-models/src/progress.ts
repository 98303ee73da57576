import type { Query } from './query.ts';
import { readModelsSchema, viewStatements } from './view.ts';

/** A read model that can be asked as of an instant. */
export type DatedModel = 'balances' | 'transactions';

/** Instants in microseconds since 1970. */
export type Progress = Readonly<{
  /** How far the rows are: the position, and when the newest event up to it was recorded. */
  position: number;
  recordedAt: number;
  /** The last position of the store; what has none yet will be recorded later than `knownUntil`. */
  head: number;
  knownUntil: number;
}>;

/** `schema`: where the owner has its checkpoints; `eventsSchema`: where the order of its events is. */
export const progressView = (model: DatedModel, schema: string, eventsSchema: string): readonly string[] =>
  viewStatements(
    `${model}_progress_v1`,
    `SELECT p.position, (extract(epoch FROM p.recorded_at) * 1000000)::bigint AS recorded_at, m.head, m.known_until
       FROM ${schema}.projection p, ${eventsSchema}.high_water_mark() m WHERE p.name = '${model}' AND p.live`,
  );

export const progressOf = (model: DatedModel): Query => ({
  text: `SELECT position, recorded_at AS "recordedAt", head, known_until AS "knownUntil"
           FROM ${readModelsSchema}.${model}_progress_v1`,
  values: [],
});
