import type { Operation } from './operations.ts';
import type { Ids, Target } from './targets.ts';

export type KnownPath = Readonly<{
  methods: readonly string[];
  targets: readonly Target[];
  ids: Ids;
  /** Whether anyone may ask. */
  open: boolean;
}>;

const parameter = /:(\w+)/g;
const parameters = ({ path }: Operation): number => path.match(parameter)?.length ?? 0;

/** Who answers GET answers HEAD. */
const allowedWith = (method: string): readonly string[] => (method === 'GET' ? ['GET', 'HEAD'] : [method]);

/** Which methods a path has, for a request whose method it does not have. A fixed path goes before one with an id. */
export const knownPaths = (operations: readonly Operation[]): ((path: string) => KnownPath | undefined) => {
  const fixedFirst = [...operations].sort((a, b) => parameters(a) - parameters(b));
  const patterns = fixedFirst.map((operation) => ({
    ...operation,
    pattern: new RegExp(`^${operation.path.replaceAll('.', '\\.').replace(parameter, '(?<$1>[^/]+)')}$`),
  }));
  return (path) => {
    const first = patterns.find(({ pattern }) => pattern.test(path));
    if (first === undefined) return undefined;
    const found = patterns.filter((operation) => operation.path === first.path);
    return {
      methods: found.flatMap(({ method }) => allowedWith(method)),
      targets: first.targets,
      ids: first.pattern.exec(path)?.groups ?? {},
      open: found.every(({ scope }) => scope === null),
    };
  };
};
