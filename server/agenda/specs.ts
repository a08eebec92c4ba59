import { setImmediate } from 'node:timers/promises';
import { unlessInvalid } from '../../client/context';
import { startedBefore } from '../../core/decisions/catchup';
import { compileSpec, formOf } from '../../core/occurrences';
import type { ScheduleSpec } from '../../core/schedule/spec';
import type { Store } from '../../store/connection';
import {
  readSpecsChanged,
  readSpecsOf,
  readSpecsPage,
  readSpecsSeen,
  type SpecInUse,
  type SpecsSeen,
} from '../../store/reads/specs-in-use';
import { ReadQueue } from '../read-queue';
import { FormInUse, type InForm } from './form';

/** A schedule that is not deleted. */
interface Known extends InForm {
  tenant: string;
  namespace: string | null;
  form: FormInUse | undefined;
}

/** The number of schedules per batch; other requests are answered between batches. */
const PAGE_SIZE = 2_500;
/**
 * After this time, the first request that needs the specs starts a read of all in the background. A read of changes
 * alone would miss a completed schedule that becomes active again.
 */
const READ_AGAIN_MILLISECONDS = 10 * 60_000;

/**
 * The specs of all schedules. Schedules with the same spec, apart from jitter, share a form. Between full reads,
 * {@link current} reads the changes.
 */
export class SpecsInUse {
  readonly #schedules = new Map<string, Known>();
  readonly #forms = new Map<string, FormInUse>();
  /** What {@link namespacesOf} returns for each tenant, and for all. */
  readonly #namespaces = new Map<string | undefined, Map<string, number>>();
  #seen: SpecsSeen | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  readonly #reads = new ReadQueue();
  readonly #update = this.#reads.shared(() => this.#readChanges());
  /** The first full read, while it runs. */
  #first: Promise<void> | undefined;
  #failure: unknown;
  #isReadingAll = false;
  /** Whether a purge has erased schedules since the last full read: their rows are gone, so all is read again. */
  #isPurged = false;

  constructor(private readonly store: Store) {}

  /** Whether the first full read has succeeded. */
  get isRead(): boolean {
    return this.#seen !== undefined;
  }

  /** Why the last first full read failed; undefined if none has failed, or one has succeeded. */
  get failure(): unknown {
    return this.isRead ? undefined : this.#failure;
  }

  /** @throws the errors of the store, except those of a read in the background */
  async current(): Promise<void> {
    if (!this.isRead) {
      this.#first ??= this.#readAll()
        .catch((error) => {
          this.#failure = error;
          throw error;
        })
        .finally(() => {
          this.#first = undefined;
        });
      await this.#first;
    }
    // The call does not wait for this read.
    if (Date.now() - this.#readAt > READ_AGAIN_MILLISECONDS && !this.#isReadingAll) {
      this.#readAll().catch(() => undefined);
    }
    await this.#update();
    if (this.#isPurged) {
      this.#isPurged = false;
      await this.#readAll().catch((error) => {
        this.#isPurged = true;
        throw error;
      });
    }
  }

  /** Number of schedules in each namespace that are neither paused, completed nor set aside, of one tenant or of all. */
  namespacesOf(tenant: string | undefined): ReadonlyMap<string, number> {
    return this.#namespaces.get(tenant) ?? new Map();
  }

  /** The forms of live schedules, of one tenant or of the named schedules only. */
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
      part.add(scheduleId, known);
    };
    if (named) for (const scheduleId of named) take(scheduleId, this.#schedules.get(scheduleId));
    else for (const [scheduleId, known] of this.#schedules) take(scheduleId, known);
    return [...some.values()];
  }

  async #readChanges(): Promise<void> {
    const { changed, isErased, seen } = await readSpecsChanged(this.store, this.#seen!);
    await this.#readThese(changed);
    this.#seen = seen;
    if (isErased) this.#isPurged = true;
  }

  async #readAll(): Promise<void> {
    this.#isReadingAll = true;
    try {
      const seen = await readSpecsSeen(this.store);
      const gone = new Set(this.#schedules.keys());
      for (let behind: string | undefined = ''; behind !== undefined; ) {
        const from: string = behind;
        behind = await this.#reads.alone(() => this.#readPage(from, gone));
        await setImmediate();
      }
      // A schedule may have been created again since its page was read.
      await this.#reads.alone(() => this.#readThese([...gone]));
      this.#seen ??= seen;
      this.#readAt = Date.now();
    } finally {
      this.#isReadingAll = false;
    }
  }

  async #readPage(behind: string, gone: Set<string>): Promise<string | undefined> {
    const page = await readSpecsPage(this.store, { behind, size: PAGE_SIZE });
    this.#take(page);
    for (const { scheduleId } of page) gone.delete(scheduleId);
    return page.length < PAGE_SIZE ? undefined : page.at(-1)!.scheduleId;
  }

  /** Schedules that were erased are forgotten. */
  async #readThese(scheduleIds: string[]): Promise<void> {
    for (let first = 0; first < scheduleIds.length; first += PAGE_SIZE) {
      const some = scheduleIds.slice(first, first + PAGE_SIZE);
      const specs = await readSpecsOf(this.store, some);
      for (const scheduleId of some) this.#remove(scheduleId);
      this.#take(specs);
    }
  }

  #take(specs: SpecInUse[]): void {
    for (const { scheduleId, tenant, namespace, spec, isLive, pausedUntil, isDeleted } of specs) {
      this.#remove(scheduleId);
      if (isDeleted) continue;
      // The spec is null if the ledger no longer has the schedule's version.
      const form = isLive ? this.#formOf(spec as ScheduleSpec, scheduleId) : undefined;
      const firesFrom = pausedUntil && firstAfterPause(spec as ScheduleSpec, scheduleId, pausedUntil);
      const known: Known = { tenant, namespace, form, isJittered: Boolean(spec?.jitter), firesFrom };
      form?.add(scheduleId, known);
      this.#count(known, 1);
      this.#schedules.set(scheduleId, known);
    }
  }

  #formOf(spec: ScheduleSpec, scheduleId: string): FormInUse {
    let text: string;
    try {
      text = formOf(spec, scheduleId);
    } catch {
      // A spec that cannot be evaluated gets a form of its own, which the agenda leaves out.
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
      this.#count(known, -1);
      if (known.form.schedules.size === 0) this.#forms.delete(known.form.text);
    }
    this.#schedules.delete(scheduleId);
  }

  #count({ tenant, namespace, form, firesFrom }: Known, more: 1 | -1): void {
    if (namespace === null || !form || firesFrom) return;
    for (const whose of [tenant, undefined]) {
      const counts = this.#namespaces.get(whose) ?? new Map<string, number>();
      this.#namespaces.set(whose, counts);
      const count = (counts.get(namespace) ?? 0) + more;
      if (count === 0) counts.delete(namespace);
      else counts.set(namespace, count);
    }
  }
}

/**
 * The instant from which on nominal times fire after a pause. It is earlier than the pause's end if jitter moves the
 * start of a nominal time past that end.
 */
function firstAfterPause(spec: ScheduleSpec, scheduleId: string, pausedUntil: Date): Date {
  if (!spec?.jitter) return pausedUntil;
  const held = unlessInvalid(() => startedBefore(compileSpec(spec, { scheduleId }), pausedUntil.getTime()));
  return held === undefined ? pausedUntil : new Date(held + 1);
}
