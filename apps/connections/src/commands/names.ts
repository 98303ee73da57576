import { createHmac } from 'node:crypto';
import type { Portal, Scope } from '@causeway/domain/connections';
import type { Context } from '@causeway/event-sourcing';
import type { Aggregates } from './aggregates.ts';

/** Names that one thing at a time may hold, across streams. */
export type Names = Readonly<{
  /** Who holds the name now: `candidateId` where it was free. */
  claim(name: Name, candidateId: string, at: string, context: Context): Promise<string>;
  /** Nothing happens when somebody else holds it by now. */
  release(name: Name, holderId: string, at: string, context: Context): Promise<void>;
}>;

/** Its kind and what makes it unique. */
export type Name = readonly [kind: 'connection' | 'entity', ...parts: string[]];

/** What there may be one connection of. */
export const connectionName = (
  { organization, environment }: Scope,
  entityId: string,
  { institutionId, portalUrl }: Pick<Portal, 'institutionId' | 'portalUrl'>,
): Name => ['connection', organization, environment, entityId, institutionId ?? portalUrl ?? ''];

/** The stream's name is a keyed hash: it tells nothing to whoever sees the list of streams. */
export const namesIn = ({ reservation }: Pick<Aggregates, 'reservation'>, secret: Buffer): Names => {
  const idOf = (name: Name): string => createHmac('sha256', secret).update(JSON.stringify(name)).digest('hex');
  return {
    claim: async (name, holderId, at, context) => {
      const command = { type: 'ClaimName', reservationId: idOf(name), holderId, at } as const;
      const answer = await reservation(command, context);
      return answer.outcome === 'accepted' ? holderId : answer.rejection.holderId;
    },
    release: async (name, holderId, at, context) => {
      await reservation({ type: 'ReleaseName', reservationId: idOf(name), holderId, at }, context);
    },
  };
};
