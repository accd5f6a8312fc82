/** A text whose decimals have no zeros that say nothing: `10.10/02.00` is `10.1/2`. A count after an `@` stays. */
export const plainDecimals = (text: string): string =>
  text.replace(/(?<![\d.@])0*(\d+)(?:\.(\d*?)0*)?(?![\d.])/g, (_, whole: string, part = '') =>
    part === '' ? whole : `${whole}.${part}`,
  );
