import type { Topic } from '@causeway/messaging';
import { connectionsCommands, connectionsEvents, connectionsStatements } from './connections.ts';
import { gatewayEvents } from './gateway.ts';
import { ledgerCommands, ledgerEvents } from './ledger.ts';
import { transfersCommands } from './transfers.ts';
import { webhooksCommands } from './webhooks.ts';

/**
 * Replicas of a service that have work at the most. Shares out evenly over 2, 3, 4 and 6 of them; adding some under way
 * would break the order of keys.
 */
const partitions = 12;

const hourMs = 3_600_000;
/** A command is not started once its time is up, seconds after it was sent. */
const commandRetentionMs = hourMs;
/** For how long a service may be away and still find what it was told. */
const eventRetentionMs = 7 * 24 * hourMs;

const kept =
  (retentionMs: number) =>
  (name: string): Topic => ({ name, partitions, retentionMs });

const commands = [connectionsCommands, ledgerCommands, transfersCommands, webhooksCommands];
const events = [gatewayEvents, connectionsEvents, connectionsStatements, ledgerEvents];

/** Every topic there is. */
export const topics: readonly Topic[] = [
  ...commands.map(kept(commandRetentionMs)),
  ...events.map(kept(eventRetentionMs)),
];
