import { messageOf, type EventContract } from '@causeway/contracts';
import type { Context, Sequenced } from '@causeway/event-sourcing';
import type { Message } from '@causeway/messaging';
import type { Outgoing } from '@causeway/subscriptions';
import { v7 as uuidV7 } from 'uuid';

/** Entities belong to no environment. */
type Owner = Readonly<{ organization: string; environment?: 'live' | 'test' }>;

/** The context of what a message led to. */
export const contextOf = ({ id, correlationId, data }: Message<Owner>): Context => ({
  metadata: {
    ...{ correlationId, causationId: id },
    ...{ organization: data.organization, environment: data.environment ?? null },
  },
});

/** The context of what a service does of its own accord. */
export const ownContext = ({ organization, environment = undefined }: Owner): Context => {
  const id = uuidV7();
  return { metadata: { correlationId: id, causationId: id, organization, environment: environment ?? null } };
};

/** The message that an event leads to: known by the event's id, however often it is published. */
export const outgoing = <D extends object>(
  { id, metadata: { correlationId } }: Sequenced,
  contract: EventContract<D>,
  data: D,
  attachment?: Buffer,
): Outgoing => ({
  topic: contract.topic,
  message: messageOf(contract, data, { id, correlationId, causationId: id, ...(attachment && { attachment }) }),
});
