/** Clients send the slashes in the name of a model as they are. For our routes, the name is one part of the address. */
const withOneName = (url: string): string =>
  url.replace(
    /^((?:\/v1(?:beta)?)?\/models\/)([^?]+?)(\/countTokens)?(?=\?|$)/,
    (_, base: string, name: string, count = '') => `${base}${name.replaceAll(/\/(?=[^/])/g, '%2F')}${count}`,
  );

/** Our address for an address below `/models` that stock clients call. */
export const modelAddress = (url: string): string =>
  withOneName(url)
    // A count is no call of a model, so it has a route of its own.
    .replace(/^\/v1(?:beta)?\/models\/([^/?]+)(?::|%3[Aa])countTokens(?=[?/]|$)/, '/v1/models/$1/countTokens')
    // Older clients of generateContent call the beta version of that API, which has the same form.
    .replace(/^\/v1beta(?=\/models\/[^/?]+(?::|%3[Aa])\w*Content)/, '/v1');
