import type { Connector } from './connector.ts';
import { sandboxConnector } from './sandbox/connector.ts';
import { statementFilesConnector } from './statement-files/connector.ts';

/** Every way of talking to banks there is, by its name. A new one is a folder beside these and a line here. */
export const connectors: Readonly<Record<string, Connector>> = Object.fromEntries(
  [sandboxConnector(), sandboxConnector({ isDelegated: true }), statementFilesConnector()].map((connector) => [
    connector.name,
    connector,
  ]),
);
