import errors from '../../../../../docs/errors.md';

export type Guide = Readonly<{ name: string; title: string; markdown: string }>;

const guide = (name: string, markdown: string): Guide => ({
  name,
  title: /^# (.*)$/m.exec(markdown)?.[1] ?? name,
  markdown,
});

/** In the order in which one reads them. */
export const guides: readonly Guide[] = [guide('errors', errors)];
