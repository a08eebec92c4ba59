import { setImmediate } from 'node:timers/promises';
import { formOf } from '../../core/occurrences';
import type { ScheduleSpec } from '../../core/schedule';
import type { Store } from '../../store/connection';
import {
  readSpecsChanged,
  readSpecsOf,
  readSpecsPage,
  readSpecsSeen,
  type SpecInUse,
  type SpecsSeen,
} from '../../store/reads/specs-in-use';
import { FormInUse } from './form';

/** A schedule that is not deleted. */
interface Known {
  tenant: string;
  /** That its workflows start in. */
  namespace: string | null;
  form: FormInUse | undefined;
}

/** A page is read and sorted in while other requests wait. */
const PAGE_SIZE = 2_500;
/** All is read again after this time: a read of what has changed misses a completed schedule that goes on. */
const READ_AGAIN_MILLISECONDS = 10 * 60_000;

/**
 * The specs of all schedules, by when they fire: of 100,000 schedules most share a few thousand forms. It is read once when the
 * server starts; each question then reads what has changed, so that no answer is older than the question.
 */
export class SpecsInUse {
  readonly #schedules = new Map<string, Known>();
  readonly #forms = new Map<string, FormInUse>();
  /** How many live schedules start in each namespace. */
  readonly namespaces = new Map<string, number>();
  #seen: SpecsSeen | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  /** Reads follow each other: none overwrites what a later one found. */
  #reading: Promise<unknown> = Promise.resolve();
  /** The read of changes that has not begun yet, for all who ask meanwhile. */
  #waiting: Promise<void> | undefined;
  /** While nothing was read yet. */
  #first: Promise<void> | undefined;
  #isReadingAll = false;
  #isPurged = false;

  constructor(private readonly store: Store) {}

  /** Whether all was read once. */
  get isRead(): boolean {
    return this.#seen !== undefined;
  }

  /** Everything as it is now. @throws as the store does */
  async current(): Promise<void> {
    if (!this.isRead) {
      this.#first ??= this.#readAll().finally(() => {
        this.#first = undefined;
      });
      await this.#first;
    }
    // Another one is read aside, page by page.
    if (Date.now() - this.#readAt > READ_AGAIN_MILLISECONDS && !this.#isReadingAll) {
      this.#readAll().catch(() => undefined);
    }
    this.#waiting ??= this.#next(async () => {
      this.#waiting = undefined;
      if ((await this.#readChanges()) || (await this.#readChanges())) return;
      // Some were purged: their rows are gone without a trace.
      this.#isPurged = true;
    });
    await this.#waiting;
    if (this.#isPurged) {
      this.#isPurged = false;
      await this.#readAll();
    }
  }

  /** Forms of live schedules, of one tenant or of those that are named alone. */
  forms({ tenant, named }: { tenant?: string | undefined; named?: string[] | undefined } = {}): FormInUse[] {
    if (tenant === undefined && named === undefined) return [...this.#forms.values()];
    const some = new Map<FormInUse, FormInUse>();
    const take = (scheduleId: string, known: Known | undefined) => {
      if (!known?.form || (tenant !== undefined && known.tenant !== tenant)) return;
      let part = some.get(known.form);
      if (!part) {
        part = known.form.without();
        some.set(known.form, part);
      }
      part.add(scheduleId, known.form.jittered.has(scheduleId));
    };
    if (named) for (const scheduleId of named) take(scheduleId, this.#schedules.get(scheduleId));
    else for (const [scheduleId, known] of this.#schedules) take(scheduleId, known);
    return [...some.values()];
  }

  #next<Answer>(read: () => Promise<Answer>): Promise<Answer> {
    const next = this.#reading.then(read, read);
    this.#reading = next;
    return next;
  }

  /** Returns whether there are as many schedules as are known. */
  async #readChanges(): Promise<boolean> {
    const { changed, schedules, seen } = await readSpecsChanged(this.store, this.#seen!);
    for (let first = 0; first < changed.length; first += PAGE_SIZE) {
      this.#take(await readSpecsOf(this.store, changed.slice(first, first + PAGE_SIZE)));
    }
    this.#seen = seen;
    return schedules === this.#schedules.size;
  }

  async #readAll(): Promise<void> {
    this.#isReadingAll = true;
    try {
      const seen = await readSpecsSeen(this.store);
      const gone = new Set(this.#schedules.keys());
      for (let behind: string | undefined = ''; behind !== undefined; ) {
        const from: string = behind;
        behind = await this.#next(() => this.#readPage(from, gone));
        await setImmediate();
      }
      for (const scheduleId of gone) this.#remove(scheduleId);
      this.#seen ??= seen;
      this.#readAt = Date.now();
    } finally {
      this.#isReadingAll = false;
    }
  }

  /** Returns the last ID where there are more. */
  async #readPage(behind: string, gone: Set<string>): Promise<string | undefined> {
    const page = await readSpecsPage(this.store, { behind, size: PAGE_SIZE });
    this.#take(page);
    for (const { scheduleId } of page) gone.delete(scheduleId);
    return page.length < PAGE_SIZE ? undefined : page.at(-1)!.scheduleId;
  }

  #take(specs: SpecInUse[]): void {
    for (const { scheduleId, tenant, namespace, spec, isLive, isDeleted } of specs) {
      this.#remove(scheduleId);
      if (isDeleted) continue;
      // What is damaged is null: its own form says so where it is counted.
      const form = isLive ? this.#formOf(spec as ScheduleSpec, scheduleId) : undefined;
      form?.add(scheduleId, Boolean(spec?.jitter));
      if (form && namespace !== null) this.#count(namespace, 1);
      this.#schedules.set(scheduleId, { tenant, namespace, form });
    }
  }

  #formOf(spec: ScheduleSpec, scheduleId: string): FormInUse {
    let text: string;
    try {
      text = formOf(spec, scheduleId);
    } catch {
      // It is set aside; its own form says so where it is counted.
      text = JSON.stringify([scheduleId, spec]);
    }
    let form = this.#forms.get(text);
    if (!form) {
      form = new FormInUse(text, spec, scheduleId);
      this.#forms.set(text, form);
    }
    return form;
  }

  #remove(scheduleId: string): void {
    const known = this.#schedules.get(scheduleId);
    if (known?.form) {
      known.form.remove(scheduleId);
      if (known.namespace !== null) this.#count(known.namespace, -1);
      if (known.form.schedules.size === 0) this.#forms.delete(known.form.text);
    }
    this.#schedules.delete(scheduleId);
  }

  #count(namespace: string, more: 1 | -1): void {
    const count = (this.namespaces.get(namespace) ?? 0) + more;
    if (count === 0) this.namespaces.delete(namespace);
    else this.namespaces.set(namespace, count);
  }
}
