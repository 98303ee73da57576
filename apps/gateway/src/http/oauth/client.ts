import { invalidRequest, Refused } from '@causeway/http';
import type { Client } from '../edge/authentication.ts';
import type { TokenBody } from './token.body.ts';

/** An id that no key has. */
const nobody: Client = { keyId: '', secret: '' };

const basic = (authorization: string | undefined): Client | undefined => {
  const [, encoded] = /^Basic +([^ ]+)$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const [keyId = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { keyId, secret: secret.join(':') };
};

/** Who asks for a token, by HTTP Basic or by the form, and not by both. */
export const clientOf = (authorization: string | undefined, { client_id, client_secret }: TokenBody): Client => {
  const client = basic(authorization);
  if (client === undefined)
    return authorization === undefined ? { ...nobody, ...formClient(client_id, client_secret) } : nobody;
  if (client_secret === undefined && [undefined, client.keyId].includes(client_id)) return client;
  const message = 'must not come beside the Authorization header';
  throw new Refused(invalidRequest([{ path: client_secret === undefined ? 'client_id' : 'client_secret', message }]));
};

const formClient = (keyId = '', secret = ''): Client => ({ keyId, secret });
