import { Inject, Injectable } from '@nestjs/common';

import { FACTS, type Facts } from './facts';
import { type Section, sectionsOf } from './guide-sections';
import { GUIDES, markdownOf } from './guides';

/** The guides as this service tells them, written when somebody first asks for one. */
@Injectable()
export class PublishedGuides {
  private readonly written = new Map<string, string>();
  private found: readonly Section[] | undefined;

  constructor(@Inject(FACTS) private readonly facts: Facts) {}

  /** As Markdown. */
  text(name: string): string {
    const known = this.written.get(name);
    if (known !== undefined) return known;
    const guide = GUIDES.find((one) => one.name === name);
    if (guide === undefined) throw new Error(`There is no guide ${name}.`);
    const text = markdownOf(guide, this.facts);
    this.written.set(name, text);
    return text;
  }

  /** All that can be searched. */
  sections(): readonly Section[] {
    return (this.found ??= GUIDES.flatMap(({ name }) => sectionsOf(name, this.text(name))));
  }
}
