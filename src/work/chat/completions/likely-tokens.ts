/** Shorter runs of letters and digits count as words. */
const DENSE_CHARS_MIN = 32;

const [OTHER, LOWER, UPPER, DIGIT, JOINT] = [0, 1, 2, 3, 4] as const;

const kindOf = (character: string): number => {
  if (/[a-z]/.test(character)) return LOWER;
  if (/[A-Z]/.test(character)) return UPPER;
  if (/\d/.test(character)) return DIGIT;
  // Base64 and identifiers have these beside letters and digits.
  return /[-+/=_]/.test(character) ? JOINT : OTHER;
};
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)));

/**
 * Whether a run of characters is base64 or hexadecimal. Random bytes have many digits among their letters, and paths
 * and long identifiers have few.
 */
const isDense = (chars: number, digits: number, uppers: number): boolean => {
  if (chars < DENSE_CHARS_MIN) return false;
  const isBase64 = digits >= chars * 0.06 && uppers >= chars * 0.15 && uppers <= chars * 0.7;
  const isHex = digits >= chars * 0.3 && digits < chars;
  return isBase64 || isHex;
};

/**
 * Estimates the tokens of a text that no provider has counted: one for 3.5 letters, and one for two bytes of other
 * characters. Base64 and hexadecimal have one for 1.4 characters. The estimate is close for prose, for code and for scripts of
 * three bytes a letter.
 */
export const likelyTokens = (text: string): number => {
  let letters = 0;
  let dense = 0;
  // The present run begins here, and has so many digits, capital letters and joints.
  let start = 0;
  let digits = 0;
  let uppers = 0;
  let joints = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const code = text.charCodeAt(at); // After the end it is not a number.
    const kind = code < 128 ? KINDS[code] : OTHER;
    if (kind === LOWER) continue;
    if (kind === UPPER) uppers += 1;
    else if (kind === DIGIT) digits += 1;
    else if (kind === JOINT) joints += 1;
    else {
      const chars = at - start;
      if (isDense(chars, digits, uppers)) dense += chars;
      else letters += chars - digits - joints;
      if (code === 0x20) letters += 1;
      start = at + 1;
      digits = uppers = joints = 0;
    }
  }
  const others = Buffer.byteLength(text) - letters - dense;
  return Math.ceil((4 * letters + 10 * dense + 7 * others) / 14);
};
