import { CircleAlert, TriangleAlert } from "lucide-react";
import { countBelow, type Problem } from "./problems";
import { ABOUT, MEMORY, showSection, useRole, type Section } from "./roleStore";
import { TEXT_FIELDS } from "./promptConfig";

interface Entry {
  section: Section;
  title: string;
  /** JSON pointers whose problems count for this entry. */
  paths: readonly string[];
}

const GROUPS: readonly { title: string; entries: readonly Entry[] }[] = [
  {
    title: "Role",
    entries: [
      { section: ABOUT, title: "Name and colour", paths: ["/name", "/description", "/color"] },
    ],
  },
  ...["Prompts", "Tasks", "Answers"].map((title) => ({
    title,
    entries: TEXT_FIELDS.filter((one) => one.group === title).map((one) => ({
      section: one.path,
      title: one.title,
      paths: [one.path],
    })),
  })),
  {
    title: "Memory",
    entries: [{ section: MEMORY, title: "Memory profile", paths: ["/memory_profile"] }],
  },
];

/** The sections of the role, each with its number of problems. */
export function SectionNav({
  problems,
  follow,
}: {
  problems: readonly Problem[];
  follow: (section: Section) => void;
}) {
  const current = useRole((state) => state.section);
  return (
    <nav className="role-sections" aria-label="Parts of the role">
      {GROUPS.map((group) => (
        <section key={group.title} aria-label={group.title}>
          <h2>{group.title}</h2>
          {group.entries.map((entry) => (
            <button
              key={entry.section}
              type="button"
              className="choice"
              aria-current={entry.section === current ? "true" : undefined}
              data-section={entry.section}
              onClick={() => {
                showSection(entry.section);
                follow(entry.section);
              }}
            >
              {entry.title}
              <Marks problems={problems} paths={entry.paths} />
            </button>
          ))}
        </section>
      ))}
    </nav>
  );
}

function Marks({ problems, paths }: { problems: readonly Problem[]; paths: readonly string[] }) {
  const counts = paths.map((path) => countBelow(problems, path));
  const errors = counts.reduce((sum, one) => sum + one.errors, 0);
  const warnings = counts.reduce((sum, one) => sum + one.warnings, 0);
  return (
    <span className="marks">
      {errors > 0 && <Mark level="error" count={errors} />}
      {warnings > 0 && <Mark level="warning" count={warnings} />}
    </span>
  );
}

function Mark({ level, count }: { level: "error" | "warning"; count: number }) {
  const Icon = level === "error" ? CircleAlert : TriangleAlert;
  return (
    <span className={`mark level-${level}`} data-level={level}>
      <Icon className="icon" aria-hidden />
      {count}
      <span className="visually-hidden"> {count === 1 ? level : `${level}s`}</span>
    </span>
  );
}
