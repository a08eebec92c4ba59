import type { ScheduleDefinition } from '../../core/definition/definition';
import { legible } from '../../core/definition/legible';
import { unlessEmpty } from '../../core/definition/unless-empty';
import { type DeclaredRow, readDeclared, readOfSource } from '../../store/schedules/apply';
import { findTakenExternalIds } from '../../store/schedules/external-ids';
import type { StoredLabels } from '../../store/schedules/labels';
import { readTenants } from '../../store/schedules/tenants';
import { transact } from '../../store/transaction';
import type { ClientContext } from '../context';
import { reviveSpec } from '../describe/described-spec';
import { withHeadersOf } from '../interceptors';
import type { ScheduleCodec } from '../payloads';
import { sourceAsGiven, sourceIn } from '../tenant';
import { outsideProblem, takePlaces } from '../tenants/limits';
import { isForeign } from '../update/change';
import { keepStored } from '../update/kept-values';
import type { DeclaredSchedule } from './apply-check';
import { type ApplyProblem, ApplyRefusedError, PruneRefusedError } from './apply-errors';
import type { ApplyOptions } from './apply-options';
import { differences } from './differences';

/**
 * The change that an apply makes to one schedule. A step with a `row` is valid only while the stored schedule still
 * matches that row.
 */
export type Step =
  | { kind: 'create'; declared: DeclaredSchedule; row: DeclaredRow | undefined }
  | { kind: 'update'; declared: DeclaredSchedule; row: DeclaredRow; changed: string[] }
  | { kind: 'prune'; scheduleId: string; tenant: string };

export interface ApplyPlan {
  steps: Step[];
  unchanged: string[];
}

const READ_AT_ONCE = 1_000;

/**
 * Compare the list with the stored schedules. The comparison takes no lock, so each batch checks its schedules again
 * under their locks.
 *
 * @throws {ApplyRefusedError} with every schedule that may not be written as declared
 * @throws {PruneRefusedError} if the apply would delete more schedules than allowed
 * @throws {TenantQuotaError} if a tenant would exceed its quota of schedules
 */
export async function planApply(
  context: ClientContext,
  declared: DeclaredSchedule[],
  options: ApplyOptions,
): Promise<ApplyPlan> {
  const plan: ApplyPlan = { steps: [], unchanged: [] };
  const problems: ApplyProblem[] = [];
  for (let start = 0; start < declared.length; start += READ_AT_ONCE) {
    const page = declared.slice(start, start + READ_AT_ONCE);
    const ids = page.map(({ parsed }) => parsed.scheduleId);
    const rows = new Map((await readDeclared(context.store, ids)).map((row) => [row.scheduleId, legible(row)]));
    const tenants = await readTenants(context.store, [...new Set(page.map(({ parsed }) => parsed.tenant))]);
    for (const one of page) {
      const { scheduleId } = one.parsed;
      const row = rows.get(scheduleId);
      const refuse = (problem: Pick<ApplyProblem, 'path' | 'problem'>) =>
        problems.push({ index: one.index, scheduleId, ...problem });
      const refused = row && refusal(context, row, one, options);
      const outside = outsideProblem(tenants.get(one.parsed.tenant), one.parsed);
      if (refused) refuse(refused);
      else if (!row || row.deleted) {
        if (outside) refuse(outside);
        plan.steps.push({ kind: 'create', declared: one, row });
      } else {
        const changed = await changesOf(context.codec, row, one);
        if (row.source !== sourceIn(context, options.source)) changed.push('source');
        // An unchanged schedule may stay, even if the tenant's limits no longer allow its namespace or task queue.
        if (changed.length > 0 && outside) refuse(outside);
        if (changed.length === 0) plan.unchanged.push(scheduleId);
        else {
          const encoded = await keepStored(context.codec, row, one.parsed, one.encoded);
          plan.steps.push({ kind: 'update', declared: { ...one, encoded }, row, changed });
        }
      }
    }
  }
  const all = problems.concat(await takenExternalIds(context, declared));
  if (all.length > 0) throw new ApplyRefusedError(options.source, all);
  if (options.prune) {
    const kept = new Set(declared.map(({ parsed }) => parsed.scheduleId));
    const former = await readOfSource(context.store, sourceIn(context, options.source), context.tenant);
    const gone = former.filter(({ scheduleId }) => !kept.has(scheduleId));
    const atMost = options.pruneAtMost ?? mostPruned(former.length, declared.length);
    const ids = gone.map(({ scheduleId }) => scheduleId);
    if (gone.length > atMost) throw new PruneRefusedError(options.source, ids, former.length, atMost);
    for (const one of gone) plan.steps.push({ kind: 'prune', ...one });
  }
  await refuseTooMany(context, plan.steps);
  return plan;
}

async function takenExternalIds({ store }: ClientContext, declared: DeclaredSchedule[]): Promise<ApplyProblem[]> {
  const wanted = declared.flatMap(({ index, parsed: { scheduleId, tenant, externalId } }) =>
    externalId ? [{ index, scheduleId, tenant, externalId }] : [],
  );
  const first = new Map<string, string>();
  const twice = wanted.flatMap(({ scheduleId, tenant, externalId }) => {
    const key = JSON.stringify([tenant, externalId]);
    const takenBy = first.get(key);
    if (takenBy === undefined) first.set(key, scheduleId);
    return takenBy === undefined ? [] : [{ scheduleId, externalId, takenBy }];
  });
  const indexes = new Map(wanted.map(({ scheduleId, index }) => [scheduleId, index]));
  return [...twice, ...(await findTakenExternalIds(store, wanted))].map(({ scheduleId, externalId, takenBy }) => ({
    index: indexes.get(scheduleId)!,
    scheduleId,
    path: 'externalId',
    problem: `'${externalId}' already belongs to schedule '${takenBy}'; change or delete that schedule first`,
  }));
}

/** How many schedules of each tenant the apply deletes. */
export function prunedOf(steps: Step[]): Map<string, number> {
  const pruned = new Map<string, number>();
  for (const step of steps) {
    if (step.kind === 'prune') pruned.set(step.tenant, (pruned.get(step.tenant) ?? 0) + 1);
  }
  return pruned;
}

/** Each batch of creations checks the quotas again. @throws {TenantQuotaError} */
async function refuseTooMany({ store }: ClientContext, steps: Step[]): Promise<void> {
  const created = steps.flatMap((step) => (step.kind === 'create' ? [step.declared.parsed] : []));
  if (created.every(({ tenant }) => tenant === '')) return;
  await transact(store, (transaction) => takePlaces(transaction, created, prunedOf(steps)));
}

/**
 * How many schedules a deploy may delete without `pruneAtMost`. A list that would delete more is probably incomplete,
 * for example because a file is missing.
 */
function mostPruned(former: number, declared: number): number {
  return declared === 0 ? 0 : Math.max(3, Math.floor(former / 4));
}

function refusal(
  context: ClientContext,
  row: DeclaredRow,
  { parsed }: DeclaredSchedule,
  { source, takeOver }: ApplyOptions,
): Pick<ApplyProblem, 'path' | 'problem'> | undefined {
  if (isForeign(context, row)) return { path: 'scheduleId', problem: 'belongs to another tenant' };
  if (row.deleted) {
    if (row.tenant === parsed.tenant) return undefined;
    const problem = `belongs to a deleted schedule of tenant '${row.tenant}', whose history it keeps; use another scheduleId`;
    return { path: 'tenant', problem };
  }
  if (row.source !== sourceIn(context, source) && !takeOver) {
    return {
      path: 'source',
      problem: `${ownerOf(context, row.source, source)}; give 'takeOver: true' to take it over`,
    };
  }
  const kept = { namespace: row.namespace, tenant: row.tenant };
  const given = { namespace: parsed.definition.namespace, tenant: parsed.tenant };
  for (const path of ['namespace', 'tenant'] as const) {
    if (given[path] !== kept[path]) {
      return { path, problem: `cannot be changed from '${kept[path]}'; use another scheduleId, or delete it first` };
    }
  }
  return undefined;
}

/**
 * Who owns a schedule that does not belong to `source`, in words. A source of all tenants may have the same given name
 * as a source of one tenant.
 */
function ownerOf(context: ClientContext, stored: string | null, source: string): string {
  if (stored === null) return 'was registered by hand';
  const owner = `belongs to source '${sourceAsGiven(context, stored)}'`;
  return stored === source ? `${owner} of all tenants` : owner;
}

/**
 * Paths of fields that differ from the declaration; `spec` is among them if the schedule is set aside or damaged. A
 * codec may encode the same values to different bytes each time. So if the bytes differ, the decoded values are
 * compared.
 */
async function changesOf(
  codec: ScheduleCodec,
  row: DeclaredRow,
  { parsed, encoded }: DeclaredSchedule,
): Promise<string[]> {
  const broken = row.specError === null ? [] : ['spec'];
  const declared: Encoded = {
    ...withHeadersOf(row.action, encoded.definition),
    scheduleId: row.scheduleId,
    args: encoded.args ? Buffer.from(encoded.args) : null,
    memo: encoded.memo ?? null,
    searchAttributes: parsed.searchAttributes ?? null,
    owner: parsed.owner || null,
    runbook: parsed.runbook || null,
    externalId: parsed.externalId || null,
  };
  if (differences(asStored(row), asStored(declared)).length === 0) return broken;
  const [stored, given] = await Promise.all([row, declared].map((one) => asGiven(codec, one)));
  const changed = differences(stored, given);
  return changed.includes('spec') ? changed : [...broken, ...changed];
}

type Encoded = ScheduleDefinition & Pick<DeclaredRow, 'scheduleId' | 'args' | keyof StoredLabels>;

/** The definition and labels as values that can be compared, with all dates in one form. */
function asStored({ spec, action, policies, args, memo, searchAttributes, owner, runbook, externalId }: Encoded) {
  const plain = JSON.parse(JSON.stringify({ spec: reviveSpec(spec), action, policies }));
  return {
    ...plain,
    action: { ...plain.action, args },
    memo: unlessEmpty(memo),
    searchAttributes: unlessEmpty(searchAttributes),
    owner,
    runbook,
    externalId,
  };
}

/**
 * The definition with its values decoded. If a value can no longer be decoded, for example because its key is gone, all
 * values stay encoded.
 */
async function asGiven(codec: ScheduleCodec, one: Encoded) {
  const stored = asStored(one);
  try {
    const { args, memo, ...texts } = await codec.decode(one);
    const values = { ...texts, args: codec.comparable(args), memo: codec.comparable(memo) };
    const own = codec.comparable(await codec.decodeMemo(one.memo));
    return { ...stored, action: { ...stored.action, ...values }, memo: unlessEmpty(own) };
  } catch {
    return stored;
  }
}
