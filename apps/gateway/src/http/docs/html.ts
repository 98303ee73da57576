import { Marked } from 'marked';
import { guides, type Guide } from './guides.ts';

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);

/** As GitHub makes it, so that a link to a heading works here and there. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

/** Where a link of a guide leads when the guide is a page: other guides are pages, too. */
const pageLink = (href: string): string =>
  href === 'openapi.json' ? '../openapi.json' : href.replace(/^([\w-]+)\.md(?=#|$)/, '$1');

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      return `<a href="${escaped(pageLink(href))}">${this.parser.parseInline(tokens)}</a>`;
    },
  },
});

type Page = Readonly<{
  title: string;
  /** What leads from the page to the folder of its parts. */
  toParts: string;
  styles: readonly string[];
  scripts: readonly string[];
  main: string;
}>;

const navigation = (toParts: string): string => {
  const links = guides.map(({ name, title }) => `<a href="${toParts}${name}">${escaped(title)}</a>`);
  return `<nav><a href="${toParts}../docs"><strong>Causeway</strong></a>${links.join('')}</nav>`;
};

/** Every address is relative: whoever publishes the interface under a path of his own finds all of it there. */
export const htmlOf = ({ title, toParts, styles, scripts, main }: Page): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
${styles.map((name) => `<link rel="stylesheet" href="${toParts}${name}">`).join('\n')}
<link rel="icon" href="data:,">
${scripts.map((name) => `<script defer src="${toParts}${name}"></script>`).join('\n')}
</head>
<body>
${navigation(toParts)}
<main>${main}</main>
</body>
</html>
`;

export const guideHtml = ({ title, name, markdown }: Guide, style: string): string =>
  htmlOf({
    title: `${title} · Causeway`,
    toParts: '',
    styles: [style],
    scripts: [],
    main: `<article>${marked.parse(markdown, { async: false })}</article><p><a href="${name}.md">This page as Markdown</a></p>`,
  });
