/** What windows-1252 has at 0x80 to 0x9F, where Latin-1 has control characters. Five places are undefined and stay. */
const high = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Some releases of Node.js decode windows-1252 as Latin-1, so that the euro sign is lost; this does not. */
export const decodeWindows1252 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (char) => high.charAt(char.charCodeAt(0) - 0x80));
