import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;
import robocode.control.BattleSpecification;
import robocode.control.BattlefieldSpecification;
import robocode.control.RobocodeEngine;
import robocode.control.RobotSpecification;
import robocode.control.events.BattleAdaptor;
import robocode.control.events.BattleErrorEvent;
import robocode.control.events.RoundEndedEvent;
import robocode.control.events.RoundStartedEvent;
import robocode.control.events.TurnEndedEvent;
import robocode.control.snapshot.IBulletSnapshot;
import robocode.control.snapshot.IRobotSnapshot;
import robocode.control.snapshot.IScoreSnapshot;
import robocode.control.snapshot.ITurnSnapshot;

/**
 * Plays battles of two robots, one after the other, as the lines of its standard input say.
 *
 * <p>A line has nine fields with tabs between them: seed, rounds, first robot, second robot, width and height of the
 * field, gun cooling rate, inactivity time, and places, "x,y,degrees" of each with a semicolon between them, or "-":
 * drawn by the engine. A tenth field is the file of a trace, or "-".
 *
 * <p>It writes lines of words: "engine VERSION"; of each round, when it ends, "round NUMBER TURNS SKIPPED", then of each
 * robot its place and heading (x, y, radians) at the start and its points: survival, last survivor, bullet damage,
 * bullet bonus, ram damage, ram bonus; after each battle "battle SECONDS"; "error WORDS" where a battle cannot be played.
 *
 * <p>The system property WORKINGDIRECTORY names the folder of the engine.
 */
public class Arena extends BattleAdaptor {
  private static final int MOST_WORDS = 300;

  private final PrintStream out;
  private PrintWriter trace;
  private ITurnSnapshot start;
  private ITurnSnapshot last;
  private int skipped;

  Arena(PrintStream out) {
    this.out = out;
  }

  public static void main(String[] none) throws IOException {
    PrintStream out = System.out;
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in)); // the engine guards System.in
    RobocodeEngine.setLogMessagesEnabled(false);
    RobocodeEngine engine = new RobocodeEngine(new File(System.getProperty("WORKINGDIRECTORY")));
    Arena arena = new Arena(out);
    engine.addBattleListener(arena);
    engine.setVisible(false);
    arena.say("engine " + engine.getVersion());
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      try {
        arena.play(engine, line.split("\t"));
      } catch (IOException | RuntimeException error) {
        arena.say("error " + error);
      }
    }
    engine.close();
    System.exit(0); // the threads of robots may still run
  }

  private void play(RobocodeEngine engine, String[] words) throws IOException {
    List<String> names = Arrays.asList(words[2], words[3]);
    RobotSpecification[] robots = new RobotSpecification[2];
    for (int seat = 0; seat < 2; seat++) {
      RobotSpecification[] found = engine.getLocalRepository(names.get(seat));
      if (found.length != 1) {
        say("error no robot " + names.get(seat));
        return;
      }
      robots[seat] = found[0];
    }
    System.setProperty("RANDOMSEED", words[0]);
    BattlefieldSpecification field = new BattlefieldSpecification(Integer.parseInt(words[4]), Integer.parseInt(words[5]));
    BattleSpecification battle = new BattleSpecification(
        Integer.parseInt(words[1]), Long.parseLong(words[7]), Double.parseDouble(words[6]), field, robots);
    String places = words[8].equals("-") ? null : "(" + words[8].replace(";", "),(") + ")";
    trace = words[9].equals("-") ? null : new PrintWriter(new BufferedWriter(new FileWriter(words[9])));
    long begin = System.nanoTime();
    try {
      engine.runBattle(battle, places, true);
    } finally {
      if (trace != null) trace.close();
    }
    say("battle " + (System.nanoTime() - begin) / 1e9);
  }

  private void say(String line) {
    out.println(line.substring(0, Math.min(line.length(), MOST_WORDS)).replace('\n', ' '));
    out.flush();
  }

  @Override public void onRoundStarted(RoundStartedEvent event) {
    start = event.getStartSnapshot();
    skipped = 0;
  }

  @Override public void onTurnEnded(TurnEndedEvent event) {
    last = event.getTurnSnapshot();
    for (IRobotSnapshot robot : last.getRobots()) {
      String said = robot.getOutputStreamSnapshot();
      if (said != null && said.contains(" skipped turn ")) skipped++;
    }
    if (trace != null) trace.println(state(last));
  }

  @Override public void onRoundEnded(RoundEndedEvent event) {
    StringJoiner line = new StringJoiner(" ");
    line.add("round").add("" + event.getRound()).add("" + event.getTurns()).add("" + skipped);
    for (int seat = 0; seat < 2; seat++) {
      IRobotSnapshot at = start.getRobots()[seat];
      IScoreSnapshot score = last.getRobots()[seat].getScoreSnapshot();
      line.add("" + at.getX()).add("" + at.getY()).add("" + at.getBodyHeading());
      line.add("" + score.getTotalSurvivalScore()).add("" + score.getTotalLastSurvivorBonus());
      line.add("" + score.getTotalBulletDamageScore()).add("" + score.getTotalBulletKillBonus());
      line.add("" + score.getTotalRammingDamageScore()).add("" + score.getTotalRammingKillBonus());
    }
    say(line.toString());
  }

  @Override public void onBattleError(BattleErrorEvent event) {
    say("error " + event.getError());
  }

  /** Returns a line of a trace: round, turn, ten numbers of each robot, and each bullet. */
  private static String state(ITurnSnapshot turn) {
    StringJoiner line = new StringJoiner(",");
    line.add("" + turn.getRound()).add("" + turn.getTurn());
    for (IRobotSnapshot robot : turn.getRobots()) {
      line.add("" + robot.getX()).add("" + robot.getY()).add("" + robot.getBodyHeading());
      line.add("" + robot.getGunHeading()).add("" + robot.getRadarHeading()).add("" + robot.getVelocity());
      line.add("" + robot.getEnergy()).add("" + robot.getGunHeat()).add("" + robot.getState());
      line.add("" + robot.getScoreSnapshot().getCurrentScore());
    }
    for (IBulletSnapshot bullet : turn.getBullets()) {
      line.add("B" + bullet.getBulletId() + ";" + bullet.getX() + ";" + bullet.getY() + ";" + bullet.getHeading() + ";"
          + bullet.getPower() + ";" + bullet.getState());
    }
    return line.toString();
  }
}
