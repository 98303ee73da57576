/** One configuration for every project: the tests are told apart by their suffix, not by a setting. */
export default {
  testEnvironment: 'node',
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/apps', '<rootDir>/libs'],
  testMatch: ['**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts', '.md'],
  transform: {
    '\\.md$': '<rootDir>/libs/testing/jest-text.mjs',
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
      },
    ],
  },
  moduleNameMapper: {
    '^@causeway/services/(.*)$': '<rootDir>/apps/$1',
    '^@causeway/domain/(.*)$': '<rootDir>/libs/domain/src/$1/index.ts',
    '^@causeway/([^/]+)/testing$': '<rootDir>/libs/$1/src/testing/index.ts',
    '^@causeway/([^/]+)$': '<rootDir>/libs/$1/src/index.ts',
  },
  globalSetup: '<rootDir>/libs/testing/jest-servers.mjs',
  globalTeardown: '<rootDir>/libs/testing/jest-servers-stop.mjs',
  testTimeout: 180_000,
  maxWorkers: 2,
  // What the modules of one spec leave behind slows the next one's collector down, and is in its figures of memory.
  workerIdleMemoryLimit: '600MB',
};
