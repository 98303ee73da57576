export { messageServer, MessageFaults } from './message-server.ts';
export type { ServerOptions } from './message-server.ts';
