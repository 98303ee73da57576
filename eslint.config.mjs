import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';
import { services } from './tools/services.mjs';

/** What a project of a kind may depend on; every project has one kind (its project.json). */
const kinds = {
  pure: [],
  port: ['pure', 'port'],
  domain: ['pure', 'port'],
  contract: ['pure', 'port', 'contract'],
  adapter: ['pure', 'port', 'domain', 'contract', 'adapter', 'testing'],
  service: ['pure', 'port', 'domain', 'contract', 'adapter', 'testing'],
  standalone: ['pure', 'port', 'adapter', 'service', 'testing'],
  tool: ['pure', 'port', 'domain', 'contract', 'adapter', 'testing'],
  testing: ['pure', 'port', 'adapter'],
};

const bounds = Object.entries(kinds).map(([kind, allowed]) => ({
  sourceTag: `kind:${kind}`,
  onlyDependOnLibsWithTags: allowed.map((other) => `kind:${other}`),
}));

/** What is tagged as one service's is no other's. */
const owned = services.map((service) => ({
  sourceTag: `service:${service}`,
  notDependOnLibsWithTags: services.filter((other) => other !== service).map((other) => `service:${other}`),
}));

/** `apps`: what of other apps may be imported all the same; the guides are texts, and nobody's code. */
const boundaries = (apps) => [
  'error',
  {
    allow: [...apps, '/docs/[a-z-]+\\.md$'],
    depConstraints: [...bounds, ...owned],
    // The specs of the library that opens databases need a database.
    ignoredCircularDependencies: [['postgres', 'testing']],
  },
];

/** Rules of structure that the budgets and the refusals of our style put in words. */
const structure = [
  ['ClassDeclaration[abstract=true]', 'Functions that take what they use, no abstract classes.'],
  ['ClassDeclaration[superClass]:not([superClass.name="Error"])', 'Classes extend Error or nothing.'],
  ['ExportAllDeclaration', 'Export by name.'],
  ['MemberExpression[object.name="jest"][property.name=/mock/i]', 'Nothing of ours is mocked.'],
];

/** The rules have no clock, no dice, no environment: these come with the command. */
const impure = [
  ['NewExpression[callee.name="Date"][arguments.length=0]', 'The domain reads no clock.'],
  ['MemberExpression[object.name="Date"][property.name="now"]', 'The domain reads no clock.'],
  ['MemberExpression[object.name="Math"][property.name="random"]', 'The domain throws no dice.'],
  ['MemberExpression[object.name="process"]', 'The domain reads no environment.'],
];

const syntax = (rows) => ['error', ...rows.map(([selector, message]) => ({ selector, message }))];

const imports = (...patterns) => ['error', { patterns }];
const barrels = { regex: '^\\.{1,2}/?$', message: 'Import the file itself.' };
/** Clients that one project each knows, so that they can be replaced. */
const clients = [
  ['kafkajs', 'libs/messaging-kafka'],
  ['@eventstore/db-client', 'libs/event-store-eventstoredb'],
];
/** All clients but those that the project has for itself. */
const foreignClients = (own) =>
  clients
    .filter(([, project]) => project !== own)
    .map(([client, project]) => ({ regex: `^${client}(/|$)`, message: `Only ${project} knows this client.` }));
/** A service's rules are its own: another service learns of them by messages. */
const foreignDomain = (own) => ({
  regex: `^@causeway/domain/(?!${own}(/testing)?$)`,
  message: 'Another service’s rules: use its contract.',
});

/** The same among the rules themselves, a folder per service. */
const foreignFolder = (own) => ({
  regex: `^(\\.\\./)+(${services.filter((service) => service !== own).join('|')})/`,
  message: 'Another service’s rules: use its contract.',
});
const domainPackages = {
  regex: '^(?!\\.|@causeway/(money|event-sourcing)$)',
  message: 'The domain imports no package.',
};

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'var', '.nx', 'coverage', '**/planted-violations'] },
  ...tseslint.configs.recommendedTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@nx/enforce-module-boundaries': boundaries([]),
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      eqeqeq: 'error',
      'max-params': ['error', 4],
      'max-lines': ['error', 250],
      'max-lines-per-function': ['error', { max: 40, skipComments: true, skipBlankLines: true }],
      'no-restricted-syntax': syntax(structure),
      'no-restricted-imports': imports(barrels, ...foreignClients()),
    },
  },
  {
    // What arrives is held against the published document.
    files: ['libs/message-schemas/src/faults.ts'],
    rules: { '@nx/enforce-module-boundaries': boundaries(['../../../docs/asyncapi.json']) },
  },
  {
    // The one app that is made of apps.
    files: ['apps/standalone/src/**/*.ts'],
    rules: { '@nx/enforce-module-boundaries': boundaries(['@causeway/services/**']) },
  },
  {
    files: ['libs/domain/src/**/*.ts', 'libs/money/src/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/testing/**'],
    rules: {
      'no-restricted-syntax': syntax([...structure, ...impure]),
      'no-restricted-imports': imports(barrels, domainPackages),
    },
  },
  ...services.map((service) => ({
    files: [`libs/domain/src/${service}/**/*.ts`],
    ignores: ['**/*.spec.ts', '**/testing/**'],
    rules: { 'no-restricted-imports': imports(barrels, domainPackages, foreignFolder(service)) },
  })),
  ...clients.map(([, project]) => ({
    files: [`${project}/src/**/*.ts`],
    rules: { 'no-restricted-imports': imports(barrels, ...foreignClients(project)) },
  })),
  ...services.map((service) => ({
    files: [`apps/${service}/**/*.ts`],
    rules: { 'no-restricted-imports': imports(barrels, ...foreignClients(), foreignDomain(service)) },
  })),
  {
    files: ['**/*.spec.ts', '**/testing/**/*.ts', 'apps/bench/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      'max-params': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
);
