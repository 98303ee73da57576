export { messageServer, MessageFaults } from './message-server.ts';
