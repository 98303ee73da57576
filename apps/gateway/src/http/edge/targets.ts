import {
  accountById,
  connectionById,
  entityById,
  transactionById,
  transferById,
  webhookById,
  type Query,
} from '@causeway/read-models';
import { institutionOf } from '../institutions/institution-list.ts';
import type { Exists } from './reading.ts';
import type { Reads } from './reads.ts';
import type { Caller, Target } from './route.ts';

const queries: Readonly<Record<Exclude<Target, 'institution'>, (caller: Caller, id: string) => Query>> = {
  account: (caller, id) => accountById(caller, id, []),
  connection: connectionById,
  entity: ({ organization }, id) => entityById(organization, id),
  transaction: (caller, id) => transactionById(caller, id, []),
  transfer: transferById,
  webhook: webhookById,
};

/** Whether what a path names is there for this caller. */
export const targetExists =
  (reads: Reads): Exists =>
  async (target, caller, id) =>
    target === 'institution'
      ? institutionOf(caller.environment, id) !== undefined
      : (await reads.row(queries[target](caller, id))) !== undefined;
