import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { plainLetters } from '#kernel/plain-letters';
import defaultRules from './default-rules.json';
import { type CategoryScore, Screener } from './screener';

/** A list of rules in the form that operators write. */
export interface PolicyRules {
  /** Regular expressions by category. They are tested on lower-case text with plain letters. */
  readonly patterns: Readonly<Record<string, readonly string[]>>;
  /** SHA-256 of forbidden media, in hex. */
  readonly blockedHashes: readonly string[];
}

/** The rules can't be read, so the service does not start. */
export class BadPolicy extends Error {}

export const loadRules = (path: string | undefined): PolicyRules => {
  if (path === undefined) return defaultRules;
  try {
    const rules = JSON.parse(readFileSync(path, 'utf8')) as Partial<PolicyRules>;
    for (const patterns of Object.values(rules.patterns ?? {}))
      patterns.forEach((pattern) => new RegExp(pattern, 'u'));
    return { patterns: rules.patterns ?? {}, blockedHashes: rules.blockedHashes ?? [] };
  } catch (error) {
    throw new BadPolicy(`POLICY_FILE can't be read: ${(error as Error).message}`);
  }
};

/** Screens offline, by patterns for words and by the hashes of known media. */
export class RulesScreener extends Screener {
  readonly remote = false;
  private readonly patterns: readonly { readonly category: string; readonly pattern: RegExp }[];
  private readonly hashes: ReadonlySet<string>;

  constructor(rules: PolicyRules) {
    super();
    this.patterns = Object.entries(rules.patterns).flatMap(([category, patterns]) =>
      patterns.map((pattern) => ({ category, pattern: new RegExp(pattern, 'u') })),
    );
    this.hashes = new Set(rules.blockedHashes.map((hash) => hash.toLowerCase()));
  }

  screenText(text: string): Promise<readonly CategoryScore[]> {
    // `plainLetters` replaces look-alike letters and removes diacritics, which could hide a word from the patterns.
    const words = plainLetters(text);
    const found = this.patterns.filter(({ pattern }) => pattern.test(words));
    return Promise.resolve(found.map(({ category }) => ({ category, score: 1, flagged: true })));
  }

  screenImage(bytes: Buffer): Promise<readonly CategoryScore[]> {
    return this.screenVideo(createHash('sha256').update(bytes).digest('hex'));
  }

  screenVideo(sha256: string): Promise<readonly CategoryScore[]> {
    return Promise.resolve(this.hashes.has(sha256) ? KNOWN_MEDIA : []);
  }
}

const KNOWN_MEDIA: readonly CategoryScore[] = [{ category: 'known media', score: 1, flagged: true }];
