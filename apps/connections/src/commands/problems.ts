import type { ConnectionRejection, EntityRejection } from '@causeway/domain/connections';
import type { Problem } from '@causeway/messaging';

type Refusal = ConnectionRejection | EntityRejection;
type Told = Readonly<{ status: number; type: string; message: string }>;

/** What each refusal is to a client. A new refusal does not compile until it has a line here. */
const problems: Record<Refusal['code'], Told> = {
  external_entity_id_taken: { status: 409, type: 'conflict', message: 'An entity with this externalEntityId exists.' },
  entity_not_found: { status: 404, type: 'not_found', message: 'There is no such entity.' },
  entity_deleted: { status: 404, type: 'not_found', message: 'There is no such entity.' },
  default_entity: { status: 409, type: 'conflict', message: 'The default entity of an organization stays.' },
  entity_syncing: { status: 409, type: 'conflict', message: 'A connection of this entity syncs.' },
  entity_connected_elsewhere: {
    ...{ status: 409, type: 'conflict' },
    message: 'This entity has connections in the other environment.',
  },
  not_found: { status: 404, type: 'not_found', message: 'There is no such connection.' },
  already_deleted: { status: 404, type: 'not_found', message: 'There is no such connection.' },
  already_syncing: { status: 409, type: 'conflict', message: 'A sync of this connection is in progress.' },
  wrong_status: { status: 409, type: 'conflict', message: 'The status of the connection does not allow it.' },
  cooling_down: { status: 429, type: 'rate_limited', message: 'A sync of this connection ended a moment ago.' },
};

export const problemOf = ({ code, ...details }: Refusal): Problem => ({
  ...problems[code],
  ...(Object.keys(details).length > 0 && { details }),
});

export const invalid = (path: string, message: string): Problem => ({
  status: 400,
  type: 'invalid_request',
  message: `${path}: ${message}`,
  details: { errors: [{ path, message }] },
});
