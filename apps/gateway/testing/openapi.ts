import { controllers } from '../src/http/controllers.ts';
import { operationsOf } from '../src/http/edge/operations.ts';
import { openApiDocument, type Document } from '../src/http/openapi/document.ts';

export { breakingChanges } from './breaking.ts';

/** The document of what this version serves. */
export const servedDocument = (): Document =>
  JSON.parse(JSON.stringify(openApiDocument(operationsOf(controllers)))) as Document;
