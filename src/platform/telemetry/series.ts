type Label = string | number;

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

const escaped = (label: Label): string => String(label).replace(/[\\"\n]/g, (sign) => ESCAPES[sign] ?? sign);

const textOf = (value: number): string =>
  Math.abs(value) === Infinity ? (value > 0 ? '+Inf' : '-Inf') : String(value);

/** What is told apart by labels under one name. */
abstract class Family<Cell> {
  private readonly cells = new Map<string, { readonly labels: string; readonly cell: Cell }>();

  constructor(
    readonly name: string,
    private readonly help: string,
    private readonly labelNames: readonly string[],
    private readonly type: 'counter' | 'gauge' | 'histogram',
  ) {}

  /** Forgets all that was counted. */
  reset(): void {
    this.cells.clear();
  }

  text(): string {
    const lines = [...this.cells.values()].flatMap(({ labels, cell }) => this.linesOf(labels, cell));
    return [`# HELP ${this.name} ${this.help}`, `# TYPE ${this.name} ${this.type}`, ...lines].join('\n');
  }

  protected abstract empty(): Cell;
  protected abstract linesOf(labels: string, cell: Cell): readonly string[];

  protected cellOf(values: readonly Label[]): Cell {
    const key = values.join('\n');
    let known = this.cells.get(key);
    if (known === undefined) {
      const labels = this.labelNames.map((name, place) => `${name}="${escaped(values[place] ?? '')}"`);
      known = { labels: labels.join(','), cell: this.empty() };
      this.cells.set(key, known);
    }
    return known.cell;
  }

  protected line(name: string, labels: string, value: number): string {
    return `${name}${labels === '' ? '' : `{${labels}}`} ${textOf(value)}`;
  }
}

/** A number for each set of labels: what happened so often, or what there is now. */
export class Numbers extends Family<{ value: number }> {
  constructor(type: 'counter' | 'gauge', name: string, help: string, ...labelNames: readonly string[]) {
    super(name, help, labelNames, type);
    if (labelNames.length === 0) this.add(0); // Nothing that could happen yet is known of others.
  }

  add(by: number, ...labels: readonly Label[]): void {
    this.cellOf(labels).value += by;
  }

  set(value: number, ...labels: readonly Label[]): void {
    this.cellOf(labels).value = value;
  }

  protected override empty(): { value: number } {
    return { value: 0 };
  }

  protected override linesOf(labels: string, { value }: { value: number }): readonly string[] {
    return [this.line(this.name, labels, value)];
  }
}

interface Spread {
  /** How many took no longer than each bound, and than the one before it. */
  readonly within: number[];
  count: number;
  sum: number;
}

/** How long something took, for each set of labels. */
export class Times extends Family<Spread> {
  constructor(
    private readonly bounds: readonly number[],
    name: string,
    help: string,
    ...labelNames: readonly string[]
  ) {
    super(name, help, labelNames, 'histogram');
  }

  observe(seconds: number, ...labels: readonly Label[]): void {
    const spread = this.cellOf(labels);
    const place = this.bounds.findIndex((bound) => seconds <= bound);
    if (place !== -1) spread.within[place]! += 1;
    spread.count += 1;
    spread.sum += seconds;
  }

  protected override empty(): Spread {
    return { within: this.bounds.map(() => 0), count: 0, sum: 0 };
  }

  protected override linesOf(labels: string, { within, count, sum }: Spread): readonly string[] {
    let soFar = 0;
    const buckets = this.bounds.map((bound, place) => {
      soFar += within[place] ?? 0;
      return this.line(`${this.name}_bucket`, `le="${bound}",${labels}`, soFar);
    });
    return [
      ...buckets,
      this.line(`${this.name}_bucket`, `le="+Inf",${labels}`, count),
      this.line(`${this.name}_sum`, labels, sum),
      this.line(`${this.name}_count`, labels, count),
    ];
  }
}
