/** What the pages look like; the viewer brings its own. */
export const style = `
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #1b1f24; background: #fff; }
nav { display: flex; flex-wrap: wrap; gap: 0 1.25rem; padding: 0.75rem 1rem; border-bottom: 1px solid #d5d9de; }
main { max-width: 90rem; margin: 0 auto; padding: 0 1rem 3rem; }
main:has(article) { max-width: 50rem; }
article :is(h1, h2, h3) { line-height: 1.25; margin: 2rem 0 0.75rem; }
article code { font: 0.875em/1.5 ui-monospace, monospace; }
article :not(pre) > code { padding: 0.1em 0.3em; background: #eef0f3; border-radius: 3px; }
article pre { padding: 0.75rem 1rem; overflow-x: auto; background: #f5f6f8; border-radius: 4px; }
article table { border-collapse: collapse; display: block; overflow-x: auto; }
article :is(th, td) { padding: 0.35rem 0.75rem; border: 1px solid #d5d9de; text-align: left; vertical-align: top; }
@media (prefers-color-scheme: dark) {
  body:has(article) { color: #dfe3e8; background: #15181c; }
  article :is(pre, :not(pre) > code) { background: #22272e !important; }
  body:has(article) a { color: #7ab7ff; }
}
`;
