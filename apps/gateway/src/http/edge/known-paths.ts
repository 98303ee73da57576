import type { Route, Target } from './route.ts';

export type KnownPath = Readonly<{ methods: readonly string[]; target: Target | undefined; id: string }>;

/** Which methods a path has, for a request whose method it does not have. */
export const knownPaths = (routes: readonly Route[]): ((path: string) => KnownPath | undefined) => {
  const patterns = routes.map((declared) => ({
    ...declared,
    pattern: new RegExp(`^${declared.path.replace(':id', '([^/]+)')}$`),
  }));
  return (path) => {
    const found = patterns.filter(({ pattern }) => pattern.test(path));
    const [first] = found;
    if (first === undefined) return undefined;
    return {
      methods: found.map(({ method }) => method),
      target: found.find(({ target }) => target !== undefined)?.target,
      id: first.pattern.exec(path)?.[1] ?? '',
    };
  };
};
