/** RFC 9116 asks for less than a year. */
const SECURITY_TEXT_DAYS = 90;

/** The file `security.txt` (RFC 9116). */
export const securityTextOf = (contact: string, publicUrl: string, now: Date): string => {
  const expires = new Date(now.getTime() + SECURITY_TEXT_DAYS * 86_400_000);
  return (
    `Contact: ${contact}\nExpires: ${expires.toISOString()}\n` +
    `Canonical: ${publicUrl}/.well-known/security.txt\nPreferred-Languages: en\n`
  );
};
