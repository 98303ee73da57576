import type { Route, Target } from './route.ts';

export type KnownPath = Readonly<{ methods: readonly string[]; target: Target | undefined; id: string }>;

const hasId = ({ path }: Route): boolean => path.includes(':id');

/** Who answers GET answers HEAD. */
const allowedWith = (method: string): readonly string[] => (method === 'GET' ? ['GET', 'HEAD'] : [method]);

/** Which methods a path has, for a request whose method it does not have. A fixed path goes before one with an id. */
export const knownPaths = (routes: readonly Route[]): ((path: string) => KnownPath | undefined) => {
  const fixedFirst = [...routes].sort((a, b) => Number(hasId(a)) - Number(hasId(b)));
  const patterns = fixedFirst.map((declared) => ({
    ...declared,
    pattern: new RegExp(`^${declared.path.replace(':id', '([^/]+)')}$`),
  }));
  return (path) => {
    const first = patterns.find(({ pattern }) => pattern.test(path));
    if (first === undefined) return undefined;
    const found = patterns.filter((declared) => declared.path === first.path);
    return {
      methods: found.flatMap(({ method }) => allowedWith(method)),
      target: found.find(({ target }) => target !== undefined)?.target,
      id: first.pattern.exec(path)?.[1] ?? '',
    };
  };
};
