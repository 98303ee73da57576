export { messageFault, replyFault } from './faults.ts';
export type { FaultOf } from './faults.ts';
