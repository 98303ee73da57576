import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asyncApi, type AsyncApi } from './asyncapi.ts';
import { breakingChanges } from './breaking.ts';

export const documentPath = (root: string): string => join(root, 'docs', 'asyncapi.json');

export const readDocument = (root: string): AsyncApi =>
  JSON.parse(readFileSync(documentPath(root), 'utf8')) as AsyncApi;

/** Brings the document up to date; what would break a published version is told, and nothing written. */
export const writeDocument = (root: string): readonly string[] => {
  const path = documentPath(root);
  const current = asyncApi(root);
  const broken = existsSync(path) ? breakingChanges(readDocument(root), current) : [];
  if (broken.length > 0) return broken;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(current, null, 2)}\n`);
  return [];
};
