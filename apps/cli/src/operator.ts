import { optional, type Environment } from '@causeway/settings';
import { userInfo } from 'node:os';

/** Who acts. */
export const operatorIn = (env: Environment): string => optional(env, 'CAUSEWAY_OPERATOR') ?? userInfo().username;
