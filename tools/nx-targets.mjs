import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const hasSpecs = (folder) =>
  existsSync(folder) && readdirSync(folder, { recursive: true }).some((file) => file.endsWith('.spec.ts'));

/** What is inside decides what can be done with a project; how, the defaults in nx.json say. */
const targetsOf = (projectRoot, { workspaceRoot }) => {
  const folder = join(workspaceRoot, projectRoot);
  const isApp = existsSync(join(folder, 'src', 'main.ts'));
  return {
    lint: {},
    ...(hasSpecs(folder) && { test: {} }),
    ...(isApp && { build: {}, serve: {} }),
  };
};

/** Nx: every project has its targets without a word of it in its project.json. */
export const createNodesV2 = [
  '{apps,libs}/*/project.json',
  (files, _, context) =>
    files.map((file) => {
      const root = dirname(file);
      return [file, { projects: { [root]: { root, targets: targetsOf(root, context) } } }];
    }),
];
