import type { LetterFilter } from '../../api/letters';
import { PageHead } from '../../parts/panel';
import { GroupView } from './group';
import { Groups } from './groups';
import { LetterView } from './letter';

export function LettersView({ query }: { query: URLSearchParams }) {
  const letterId = query.get('letter');
  if (letterId !== null) return <LetterView letterId={letterId} />;
  if (query.has('failureType') || query.has('scheduleId') || query.has('state')) {
    return <GroupView filter={filterOf(query)} query={query} />;
  }
  return (
    <>
      <PageHead title="Dead letters" sub="Failures that need a person, by their causes" />
      <Groups />
    </>
  );
}

function filterOf(query: URLSearchParams): LetterFilter {
  const names = ['failureType', 'step', 'workflowType', 'scheduleId', 'state', 'kind', 'message'] as const;
  return Object.fromEntries(names.flatMap((name) => (query.has(name) ? [[name, query.get(name)!]] : [])));
}
