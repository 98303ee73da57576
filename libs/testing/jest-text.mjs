/** A text is imported as it stands, in specs as in bundles. */
export default { process: (text) => ({ code: `export default ${JSON.stringify(text)};` }) };
