import { isUuid } from '@causeway/http';
import {
  accountById,
  connectionById,
  entityById,
  knownTransaction,
  transferById,
  webhookById,
  type Query,
} from '@causeway/read-models';
import { institutionOf } from '../institutions/institution-list.ts';
import type { Caller } from './caller.ts';
import type { Reads } from './reads.ts';

/** A parameter of a path that names a resource. */
export type Target = keyof typeof queries;

const queries = {
  accountId: (caller: Caller, id: string) => accountById(caller, id, []),
  connectionId: connectionById,
  entityId: ({ organization }: Caller, id: string) => entityById(organization, id),
  institutionId: null,
  transactionId: knownTransaction,
  transferId: transferById,
  webhookId: webhookById,
} satisfies Readonly<Record<string, ((caller: Caller, id: string) => Query) | null>>;

export const targetsIn = (path: string): readonly Target[] =>
  path
    .split('/')
    .map((part) => part.slice(1))
    .filter((name): name is Target => Object.hasOwn(queries, name));

/** The values of a path's parameters, by name. */
export type Ids = Readonly<Record<string, string | undefined>>;

/** An id that cannot be one of ours names nothing, whatever else is wrong with the request. */
export const couldExist = (targets: readonly Target[], ids: Ids): boolean =>
  targets.every((target) => (target === 'institutionId' ? Boolean(ids[target]) : isUuid(ids[target] ?? '')));

/** Whether what the parameters name is there for this caller. */
export type Exists = (targets: readonly Target[], caller: Caller, ids: Ids) => Promise<boolean>;

export const targetsExist = (reads: Reads): Exists => {
  const exists = async (target: Target, caller: Caller, id: string): Promise<boolean> => {
    const query = queries[target];
    if (query === null) return institutionOf(caller.environment, id) !== undefined;
    return (await reads.row(query(caller, id.toLowerCase()))) !== undefined;
  };
  return async (targets, caller, ids) => {
    if (!couldExist(targets, ids)) return false;
    for (const target of targets) if (!(await exists(target, caller, ids[target] ?? ''))) return false;
    return true;
  };
};
