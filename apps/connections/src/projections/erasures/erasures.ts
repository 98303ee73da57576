import type { ConnectionEvent } from '@causeway/domain/connections';
import { categoryOf, idOf, type Sequenced } from '@causeway/event-sourcing';
import { rowProjection } from '@causeway/projections';

/** A connection that was deleted and whose streams are not erased yet. For the service itself. */
type ErasureRow = Readonly<{ id: string; organization: string; environment: string }>;

export const applyToErasure = (
  row: ErasureRow | undefined,
  { type, metadata: { organization, environment } }: Sequenced<ConnectionEvent>,
  id: string,
): ErasureRow | undefined => {
  if (type === 'ConnectionDeleted') return { id, organization: organization ?? '', environment: environment ?? '' };
  return type === 'ConnectionErased' ? undefined : row;
};

export const erasures = rowProjection<ErasureRow, ConnectionEvent>({
  name: 'erasures',
  version: 1,
  table: 'erasures',
  columns: { id: 'uuid', organization: 'text', environment: 'text' },
  key: 'id',
  keysOf: ({ type, stream }: Sequenced) =>
    categoryOf(stream) === 'connection' && (type === 'ConnectionDeleted' || type === 'ConnectionErased')
      ? [idOf(stream)]
      : [],
  opens: ({ type }) => type === 'ConnectionDeleted',
  apply: applyToErasure,
  views: (table) => [
    'DROP VIEW IF EXISTS connections.erasure_due',
    `CREATE VIEW connections.erasure_due AS SELECT id, organization, environment FROM ${table('erasures')}`,
  ],
});
