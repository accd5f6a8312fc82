import { Injectable } from '@nestjs/common';

import { CurrentFacts } from './current-facts';
import { type Section, sectionsOf } from './guide-sections';
import { GUIDES, markdownOf } from './guides';

/** The guides of this service, written at their first use. */
@Injectable()
export class PublishedGuides {
  /** The searchable texts. */
  readonly sections: () => readonly Section[];
  private readonly texts: ReadonlyMap<string, () => string>;

  constructor(facts: CurrentFacts) {
    this.texts = new Map(GUIDES.map((guide) => [guide.name, facts.written((now) => markdownOf(guide, now))]));
    this.sections = facts.written(() => GUIDES.flatMap(({ name }) => sectionsOf(name, this.text(name))));
  }

  /** As Markdown. */
  text(name: string): string {
    const text = this.texts.get(name);
    if (text === undefined) throw new Error(`There is no guide ${name}.`);
    return text();
  }
}
