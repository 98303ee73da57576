import type { Secret, SecretRing } from '@causeway/settings';
import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a cursor may be used with: whose it is, the endpoint, and every parameter but those that page or trim. */
export type CursorBinding = Readonly<{
  organization: string;
  environment: string;
  endpoint: string;
  parameters: Readonly<Record<string, unknown>>;
}>;

export type Cursors = Readonly<{
  /** `key`: the sort key of the last row given out; never an offset. */
  seal(binding: CursorBinding, key: readonly string[]): string;
  /** `undefined`: not one of ours, or sealed for something else. */
  open(binding: CursorBinding, cursor: string): readonly string[] | undefined;
}>;

/** May change from page to page; all else is bound to the cursor. */
const unbound = new Set(['cursor', 'limit', 'fields']);

const macBytes = 16;

const bindingText = ({ organization, environment, endpoint, parameters }: CursorBinding): string => {
  const bound = Object.entries(parameters).filter(([name, value]) => value !== undefined && !unbound.has(name));
  bound.sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([organization, environment, endpoint, bound]);
};

const keyOf = (payload: Buffer): readonly string[] => JSON.parse(payload.toString('utf8')) as readonly string[];

/**
 * Opaque cursors that say where a page ended. The binding is not in the cursor but under its signature, so a cursor of
 * another query, sort order, organization or environment fails as a forged one does. One that was sealed under an older
 * secret opens while that is listed.
 */
export const cursors = (secrets: SecretRing): Cursors => {
  const mac = ({ key }: Secret, binding: CursorBinding, payload: Buffer): Buffer =>
    createHmac('sha256', key).update(bindingText(binding)).update('\0').update(payload).digest().subarray(0, macBytes);
  return {
    seal: (binding, key) => {
      const payload = Buffer.from(JSON.stringify(key));
      return Buffer.concat([mac(secrets[0], binding, payload), payload]).toString('base64url');
    },
    open: (binding, cursor) => {
      const bytes = Buffer.from(cursor, 'base64url');
      if (bytes.length <= macBytes || bytes.toString('base64url') !== cursor) return undefined;
      const payload = bytes.subarray(macBytes);
      const given = bytes.subarray(0, macBytes);
      const isOurs = secrets.some((secret) => timingSafeEqual(given, mac(secret, binding, payload)));
      return isOurs ? keyOf(payload) : undefined;
    },
  };
};
