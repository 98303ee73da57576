/** An ABA routing number: nine digits, weighed 3, 7 and 1, that add up to a multiple of ten. */
export const isAba = (text: string): boolean => {
  if (!/^\d{9}$/.test(text) || Number(text) === 0) return false;
  const sum = Array.from(text, Number).reduce((so, digit, place) => so + digit * ([3, 7, 1][place % 3] ?? 0), 0);
  return sum % 10 === 0;
};

/** ISO 13616: the country and check digits moved to the end, letters as 10 to 35, leave 1 when divided by 97. */
export const isIban = (text: string): boolean => {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text)) return false;
  const digits = Array.from(text.slice(4) + text.slice(0, 4), (character) => parseInt(character, 36)).join('');
  return BigInt(digits) % 97n === 1n;
};

/** ISO 9362: institution, country, location and, left out for the head office, the branch. */
export const isBic = (text: string): boolean => /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(text);
