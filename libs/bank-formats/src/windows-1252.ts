/** What windows-1252 has at 0x80 to 0x9F, where Latin-1 has control characters. Five places are undefined and stay. */
const high = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

const units = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 && byte < 0xa0 ? high.charCodeAt(byte - 0x80) : byte,
);

/** Some releases of Node.js decode windows-1252 as Latin-1, so that the euro sign is lost; this does not. */
export const decodeWindows1252 = (bytes: Uint8Array): string => {
  const text = Buffer.allocUnsafe(2 * bytes.length);
  for (let at = 0; at < bytes.length; at++) text.writeUInt16LE(units[bytes[at]!]!, 2 * at);
  return text.toString('utf16le');
};
