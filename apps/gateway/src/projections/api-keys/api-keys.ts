import { apiKeysView, type ApiKeyRow } from '@causeway/api-keys';
import { keyIdOf, type ApiKeyEvent } from '@causeway/domain/gateway';
import { assertNever, type Recorded } from '@causeway/event-sourcing';
import { rowProjection } from '@causeway/projections';
import { columnNames, type Columns } from '@causeway/read-models';

const columns: Columns<ApiKeyRow> = {
  keyId: 'text',
  organization: 'text',
  environment: 'text',
  scopes: 'text[]',
  secretHash: 'text',
  allowedIps: 'text[]',
  issuedAt: 'timestamptz',
  expiresAt: 'timestamptz',
  revokedAt: 'timestamptz',
};

export const applyToApiKey = (
  row: ApiKeyRow | undefined,
  event: Recorded<ApiKeyEvent>,
  keyId: string,
): ApiKeyRow | undefined => {
  switch (event.type) {
    case 'ApiKeyIssued':
      return { ...event.data, keyId, revokedAt: null };
    case 'ApiKeyRevoked':
      return row && { ...row, revokedAt: event.data.revokedAt };
    default:
      return assertNever(event);
  }
};

/** What the gateway checks credentials against. */
export const apiKeys = rowProjection<ApiKeyRow, ApiKeyEvent>({
  name: 'api-keys',
  version: 1,
  table: 'api_keys',
  columns,
  key: 'keyId',
  keysOf: ({ stream }) => {
    const keyId = keyIdOf(stream);
    return keyId === undefined ? [] : [keyId];
  },
  opens: ({ type }) => type === 'ApiKeyIssued',
  apply: applyToApiKey,
  views: (table) => [
    `DROP VIEW IF EXISTS ${apiKeysView}`,
    `CREATE VIEW ${apiKeysView} AS SELECT ${columnNames(columns).join(', ')} FROM ${table('api_keys')}`,
  ],
});
