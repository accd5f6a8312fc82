/** OpenAI's clients use one base address for texts and for media. This is our address of media. */
export const mediaAddress = (url: string): string =>
  url.replace(/^\/v1(?=\/(images\/generations|videos)(?:[/?]|$))/, '/v1/agent');
