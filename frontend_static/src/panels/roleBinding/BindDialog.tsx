import { ExternalLink } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { useStore } from "zustand";
import { errorText } from "../../ui/errorText";
import { session, useSession, type Role } from "../../session";
import { Dialog } from "../../ui/Dialog";
import { RoleDot } from "../../ui/RoleDot";
import { useBindCommands } from "./commands";
import { bindRole, fetchRoles, bindDialog } from "./roleBinding";
import { keyOf } from "../../ui/keys";
import { useRequest } from "../../ui/useRequest";
import { siteUrl } from "../../ui/siteUrl";

const close = () => bindDialog.setState({ states: [] });

/** Binds one or several states to a role. */
export function BindDialog() {
  const { states } = useStore(bindDialog, (open) => open);
  useBindCommands();
  return states.length > 0 ? <RoleChooser key={states.join("\n")} states={states} /> : null;
}

function RoleChooser({ states }: { states: readonly string[] }) {
  const [first = ""] = states;
  const bound = useSession((state) =>
    states.length === 1 ? (state.fullGraph.states.get(first)?.bound?.role ?? null) : null,
  );
  const { value: roles, error } = useRequest([], fetchRoles);
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const matches = (roles ?? []).filter((role) => matchesQuery(role, query));
  const selected = Math.min(at, matches.length - 1);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  const choose = (role: Role | undefined) => {
    if (!role) return;
    close();
    void bindRole(states, role).then(
      (outcome) => !outcome.ok && session.notifyError(outcome.error),
    );
  };
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[keyOf(event)];
    if (step && matches.length > 0) setAt((selected + step + matches.length) % matches.length);
    else if (keyOf(event) === "Enter") choose(matches[selected]);
    else return;
    event.preventDefault();
  };
  const whom = states.length === 1 ? first : `${states.length} states`;
  return (
    <Dialog title={`Role of ${whom}`} onClose={close}>
      <input
        className="input"
        role="combobox"
        aria-label="Role"
        aria-expanded
        aria-controls="bind-list"
        aria-activedescendant={matches[selected] ? `bindable-${matches[selected].id}` : undefined}
        placeholder="Search roles by name or what they do"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setAt(0);
        }}
        onKeyDown={keys}
      />
      {error !== null && <p className="notice warning">{errorText(error)}</p>}
      <ul className="plain bind-list" id="bind-list" role="listbox" aria-label="Roles" ref={list}>
        {matches.map((role, index) => (
          <li
            key={role.id}
            id={`bindable-${role.id}`}
            role="option"
            aria-selected={index === selected}
            onPointerMove={() => setAt(index)}
            onClick={() => choose(role)}
          >
            <RoleDot color={role.color} />
            <span className="bind-about">
              <span className="bind-title">
                {role.name}
                {role.id === bound && <span className="badge accent">works here</span>}
                {role.is_system && <span className="badge">shipped</span>}
              </span>
              {role.description && <span className="help">{role.description}</span>}
            </span>
          </li>
        ))}
      </ul>
      {roles && matches.length === 0 && <p className="muted">No role matches.</p>}
      <p className="help">
        Stored on the server, never in the files. The role&rsquo;s prompts are sent before the
        state&rsquo;s own, which then is the task.{" "}
        <a href={siteUrl("/roles/")} target="_blank" rel="noopener">
          Write a role <ExternalLink className="icon" aria-hidden />
        </a>
      </p>
    </Dialog>
  );
}

function matchesQuery(role: Role, query: string): boolean {
  const text = `${role.name}\n${role.description}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
