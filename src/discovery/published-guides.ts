import { Injectable } from '@nestjs/common';

import { CurrentFacts } from './current-facts';
import { type Section, sectionsOf } from './guide-sections';
import { GUIDES, markdownOf } from './guides';

/** The guides as this service tells them, written when somebody first asks for one. */
@Injectable()
export class PublishedGuides {
  /** All that can be searched. */
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
