import { services, servicesBehind } from '@causeway/settings';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');
const git = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
});
const files = git.stdout.split('\n').filter((file) => file !== '' && existsSync(join(root, file)));
const sources = files.filter((file) => /^(apps|libs)\/.*\.ts$/.test(file));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const projectsOf = (folder: string): string[] => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);

describe('the tree', () => {
  test('is not empty to this spec', () => {
    expect(sources.length).toBeGreaterThan(50);
  });

  test('has nothing at its top but what tools, users and the layout ask for', () => {
    const tops = new Set(files.map((file) => file.split('/')[0] as string).filter((top) => !top.startsWith('.')));
    const allowed =
      /^(apps|libs|deploy|docs|tools|README\.md|CONTRIBUTING\.md|LICENSE|NOTICE|package(-lock)?\.json|nx\.json|tsconfig.*\.json|.*\.config\.mjs|docker-compose\.yml)$/;
    expect([...tops].filter((top) => !allowed.test(top))).toEqual([]);
  });

  test('has no drawer for everything', () => {
    expect(files.filter((file) => /(^|\/)(utils?|common|shared|helpers?|misc)(\.ts)?(\/|$)/.test(file))).toEqual([]);
  });

  test('gives every project one kind', () => {
    const wrong = [...projectsOf('apps'), ...projectsOf('libs')].filter((project) => {
      const { tags, name } = JSON.parse(read(`${project}/project.json`)) as { tags: string[]; name: string };
      return name !== basename(project) || tags.filter((tag) => tag.startsWith('kind:')).length !== 1;
    });
    expect(wrong).toEqual([]);
  });

  test('has the services that the one list of them has', () => {
    const tagged = projectsOf('apps').filter((project) => {
      const { tags, name } = JSON.parse(read(`${project}/project.json`)) as { tags: string[]; name: string };
      return tags.includes('kind:service') && tags.includes(`service:${name}`);
    });
    expect(tagged.map((project) => basename(project)).sort()).toEqual([...services].sort());
  });

  test('makes every service look the same inside', () => {
    const allowed =
      /^(main\.ts|([a-z]+\.module|config|migrations)(\.spec|\.pg\.spec)?\.ts|commands|consumers|reactions|projections|publishing)$/;
    const strange = servicesBehind.flatMap((service) =>
      readdirSync(join(root, 'apps', service, 'src'))
        .filter((entry) => !allowed.test(entry))
        .map((entry) => `${service}/${entry}`),
    );
    // The ledger's write side has a folder of its own.
    expect(strange).toEqual(['ledger/booking']);
  });

  test('keeps what only specs use apart', () => {
    const rigs = sources.filter((file) => /under-test|\brig\b/.test(basename(file)));
    expect(rigs.filter((file) => !file.includes('/testing/'))).toEqual([]);
    expect(sources.filter((file) => /^apps\/[^/]+\/src\/.*\/?testing\//.test(file))).toEqual([]);
  });

  test('has no circle of files', () => {
    const importsOf = (file: string): string[] =>
      [...read(file).matchAll(/from '(\.{1,2}\/[^']+)'/g)].map(([, path]) => join(dirname(file), path as string));
    const imported = new Map(sources.map((file) => [file, importsOf(file)]));
    // What imports nothing that is left is taken away, until what is left goes round.
    for (let before = -1; before !== imported.size;) {
      before = imported.size;
      for (const [file, others] of imported) if (!others.some((other) => imported.has(other))) imported.delete(file);
    }
    expect([...imported.keys()]).toEqual([]);
  });

  test('has one index per library, which exports by name', () => {
    const indexes = sources.filter((file) => basename(file) === 'index.ts');
    const allowed = /^libs\/([^/]+\/src(\/testing)?|domain\/src\/[^/]+(\/testing)?)\/index\.ts$/;
    expect(indexes.filter((file) => !allowed.test(file))).toEqual([]);
  });

  test('names what a spec needs by its suffix', () => {
    const specs = sources.filter((file) => file.endsWith('.spec.ts'));
    const needy = specs.filter((file) => /describeWithPostgres|testDatabase/.test(read(file)));
    expect(needy.filter((file) => !file.endsWith('.pg.spec.ts') && !file.startsWith('apps/e2e/'))).toEqual([]);
    const onKafka = specs.filter((file) => /describeWith(Own)?Kafka/.test(read(file)));
    expect(onKafka.filter((file) => !file.endsWith('.kafka.spec.ts') && !file.startsWith('apps/e2e/'))).toEqual([]);
    const inBrowsers = specs.filter((file) => /describeWithBrowser/.test(read(file)));
    expect(inBrowsers.filter((file) => !file.endsWith('.browser.spec.ts') && !file.startsWith('apps/e2e/'))).toEqual(
      [],
    );
  });

  test('leaves nothing for later and skips nothing', () => {
    const marks = new RegExp(['TO' + 'DO', 'FIX' + 'ME', '\\.only\\(', '\\b(it|test|describe)\\.skip\\('].join('|'));
    expect(sources.filter((file) => marks.test(read(file)))).toEqual([]);
  });

  test('gives a reason for every rule it switches off', () => {
    const bare = sources.filter((file) =>
      /eslint-disable(?!.* -- \S)|@ts-(ignore|expect-error)(?! \S)/.test(read(file)),
    );
    expect(bare).toEqual([]);
  });
});

describe('the boundaries', () => {
  const planted: readonly (readonly [string, string, string, string])[] = [
    [
      'a rule that opens a database',
      'libs/domain/src/ledger/planted.ts',
      "import '@causeway/postgres';",
      'enforce-module',
    ],
    [
      'a service that imports another',
      'apps/ledger/src/planted.ts',
      "import '../../gateway/src/config.ts';",
      'enforce-module',
    ],
    [
      'a service that imports another by name',
      'apps/ledger/src/planted.ts',
      "import '@causeway/services/gateway/src/config.ts';",
      'enforce-module',
    ],
    [
      'a library that imports a service',
      'libs/http/src/planted.ts',
      "import '../../../apps/gateway/src/config.ts';",
      'enforce-module',
    ],
    [
      'a service that reads another’s rules',
      'apps/ledger/src/planted.ts',
      "import '@causeway/domain/transfers';",
      'restricted-imports',
    ],
    [
      'rules that read another service’s',
      'libs/domain/src/ledger/planted.ts',
      "import '../transfers/index.ts';",
      'restricted-imports',
    ],
    [
      'a service that uses what is another’s',
      'apps/ledger/src/planted.ts',
      "import '@causeway/api-keys';",
      'enforce-module',
    ],
    ['a service that knows its broker', 'apps/ledger/src/planted.ts', "import 'kafkajs';", 'restricted-imports'],
    [
      'a library that knows a client which another is there for',
      'libs/event-stores/src/planted.ts',
      "import '@eventstore/db-client';",
      'restricted-imports',
    ],
    [
      'an adapter that knows another’s client',
      'libs/event-store-eventstoredb/src/planted.ts',
      "import 'kafkajs';",
      'restricted-imports',
    ],
    [
      'a rule that reads the clock',
      'libs/domain/src/ledger/planted.ts',
      'export const now = () => Date.now();',
      'restricted-syntax',
    ],
    ['a base class', 'libs/http/src/planted.ts', 'export abstract class Everything {}', 'restricted-syntax'],
    ['a barrel', 'libs/http/src/planted.ts', "export * from './index.ts';", 'restricted-syntax'],
  ];

  const pathOf = (index: number, file: string): string =>
    join(root, dirname(file), `planted-${process.pid}-${index}.ts`);
  const reported = new Map<string, string[]>();

  /** The rule reads the project graph that Nx keeps: without one it would pass over everything. */
  beforeAll(() => {
    spawnSync('npx', ['nx', 'show', 'projects'], { cwd: root });
    const paths = planted.map(([, file], index) => pathOf(index, file));
    try {
      planted.forEach(([, , code], index) => writeFileSync(paths[index] as string, `${code}\n`));
      const run = spawnSync('npx', ['eslint', '--format', 'json', ...paths], { cwd: root, encoding: 'utf8' });
      type Report = readonly { filePath: string; messages: readonly { ruleId: string | null }[] }[];
      for (const { filePath, messages } of JSON.parse(run.stdout) as Report) {
        reported.set(
          filePath,
          messages.map(({ ruleId }) => ruleId ?? ''),
        );
      }
    } finally {
      paths.forEach((path) => rmSync(path, { force: true }));
    }
  });

  test.each(planted.map((row, index) => [...row, index] as const))('report %s', (_, file, __, rule, index) => {
    expect(reported.get(pathOf(index, file))?.join(' ')).toContain(rule);
  });
});
