import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Choice, Field, TextField } from '../../parts/field';
import { go, hrefOf, type Query } from '../../router';

export interface Filter {
  text: string;
  /** A filter in the grammar of Temporal's lists. */
  query: string;
  state: '' | 'live' | 'paused' | 'completed';
  orderBy: string;
  from: string;
  to: string;
  cursor: string;
}

export function filterOf(query: URLSearchParams): Filter {
  const of = (name: string) => query.get(name) ?? '';
  return {
    text: of('text'),
    query: of('query'),
    state: of('state') as Filter['state'],
    orderBy: of('orderBy') || 'nextFireAt',
    from: of('from'),
    to: of('to'),
    cursor: of('cursor'),
  };
}

/** Orders of the list that show only schedules which fail, are late or are paused. */
const TROUBLES = ['failing', 'lastOutcome', 'late', 'pausedAt'];

export function isTrouble(orderBy: string): boolean {
  return TROUBLES.includes(orderBy);
}

export function apiFilter({ text, query, state, from, to }: Filter): Record<string, string> {
  const given: Record<string, string> = { text, query, from, to };
  if (state === 'paused') given.paused = 'true';
  if (state === 'live') Object.assign(given, { paused: 'false', completed: 'false' });
  if (state === 'completed') given.completed = 'true';
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
}

export function pathOf(filter: Filter): string {
  const { text, orderBy, cursor } = filter;
  const asked = isTrouble(orderBy) ? (text === '' ? {} : { text }) : apiFilter(filter);
  const all = { ...asked, orderBy, ...(cursor === '' ? {} : { cursor }) };
  return `v1/schedule-rows?${new URLSearchParams(all)}`;
}

const TYPED_MILLISECONDS = 300;

export function Filters({ filter }: { filter: Filter }) {
  const [text, setText] = useState(filter.text);
  const [query, setQuery] = useState(filter.query);
  useEffect(() => setText(filter.text), [filter.text]);
  useEffect(() => setQuery(filter.query), [filter.query]);
  // After a change of the filter, the list shows its first page.
  const change = (to: Query, replace = false) =>
    go(hrefOf(['schedules'], { ...filter, text, query, cursor: '', ...to }), { replace });
  // The delayed search uses the filter at the time of the search, and not at the time of the key press.
  const latest = useRef({ filter, change });
  latest.current = { filter, change };
  useEffect(() => {
    if (text === filter.text) return;
    const timer = setTimeout(() => {
      const { filter: present, change: search } = latest.current;
      if (present.text !== text) search({ text }, present.text !== '');
    }, TYPED_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [text]);
  const submit = (event: JSX.TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    change({ text, query });
  };
  const isOfTrouble = isTrouble(filter.orderBy);
  return (
    <search>
      <form class="filters" onSubmit={submit}>
        <TextField label="Search by name or note" class="grow" type="search" value={text} onChange={setText} />
        <Choice
          label="Order"
          value={filter.orderBy}
          options={[
            ['nextFireAt', 'Next to fire'],
            ['scheduleId', 'Name'],
            ['lastOutcome', 'Last outcome: failed last'],
            ['failing', 'Failing in a row'],
            ['late', 'Late, longest delay first'],
            ['pausedAt', 'Paused last'],
          ]}
          onChange={(orderBy: string) => change({ orderBy })}
        />
        {isOfTrouble ? null : (
          <Choice
            label="State"
            value={filter.state}
            options={[
              ['', 'All'],
              ['live', 'Live'],
              ['paused', 'Paused'],
              ['completed', 'Completed'],
            ]}
            onChange={(state: Filter['state']) => change({ state })}
          />
        )}
        {isOfTrouble ? null : (
          <Field label="Query, as Temporal’s lists take it" class="grow">
            <input
              class="input mono"
              value={query}
              placeholder="taskQueue = 'billing' AND paused = false"
              onInput={(event: JSX.TargetedInputEvent<HTMLInputElement>) => setQuery(event.currentTarget.value)}
            />
          </Field>
        )}
        <button type="submit" class="button">
          Search
        </button>
        {filter.text || filter.query || filter.state || filter.from ? (
          <a class="button plain" href={hrefOf(['schedules'], { orderBy: filter.orderBy })}>
            Clear
          </a>
        ) : null}
      </form>
    </search>
  );
}
