"""Claims beside the evidence they were drawn from: true in other words, and false by one thing."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Case:
    """One passage's evidence, with claims that are true and claims that are false.

    `beyond` are true in words that proof does not follow.
    """

    evidence: tuple[str, ...]
    true: tuple[str, ...]
    false: tuple[str, ...]
    beyond: tuple[str, ...] = ()


def case(
    *evidence: str,
    true: tuple[str, ...] = (),
    false: tuple[str, ...] = (),
    beyond: tuple[str, ...] = (),
) -> Case:
    return Case(evidence, true, false, beyond)


MANUALS = (
    case(
        "Attach the safety tether before the first standing test.",
        true=(
            "Before the first standing test, attach the safety tether.",
            "The safety tether must be attached before the first standing test.",
            "You should attach the safety tether before the first standing test.",
        ),
        false=(
            "Remove the safety tether before the first standing test.",
            "Attach the safety tether after the first standing test.",
            "Attach the safety tether before the second standing test.",
            "Do not attach the safety tether before the first standing test.",
            "Attach the safety tether before every standing test.",
            "You may attach the safety tether before the first standing test.",
            "Attach the safety tether.",
        ),
    ),
    case(
        "If the pressure exceeds 5 bar, the relief valve opens automatically.",
        true=(
            "The relief valve opens automatically if the pressure exceeds 5 bar.",
            "The relief valve automatically opens if the pressure exceeds five bar.",
            "When the pressure is more than 5 bar, the relief valve opens automatically.",
        ),
        false=(
            "The relief valve opens automatically.",
            "The relief valve opens automatically unless the pressure exceeds 5 bar.",
            "If the relief valve opens automatically, the pressure exceeds 5 bar.",
            "If the pressure exceeds 5 bar, the relief valve closes automatically.",
            "If the pressure exceeds 50 bar, the relief valve opens automatically.",
            "If the pressure falls below 5 bar, the relief valve opens automatically.",
            "If the pressure reaches 5 bar, the relief valve opens automatically.",
        ),
    ),
    case(
        "The pump must be primed before it is started for the first time.",
        true=(
            "Prime the pump before starting it for the first time.",
            "Before it is started for the first time, the pump must be primed.",
            "You must prime the pump before you start it for the first time.",
            "The pump has to be primed before it is started for the first time.",
        ),
        false=(
            "The pump must be primed after it is started for the first time.",
            "The pump can be primed before it is started for the first time.",
            "The pump must not be primed before it is started for the first time.",
            "The pump must be started before it is primed for the first time.",
            "The pump must be primed each time before it is started.",
            "The pump must be drained before it is started for the first time.",
        ),
    ),
    case(
        "Never run the motor for more than 30 seconds without coolant.",
        true=(
            "Do not run the motor for more than 30 seconds without coolant.",
            "The motor must never be run for more than 30 seconds without coolant.",
            "Never run the motor without coolant for more than half a minute.",
        ),
        false=(
            "Run the motor for more than 30 seconds without coolant.",
            "Never run the motor for more than 30 minutes without coolant.",
            "Never run the motor for less than 30 seconds without coolant.",
            "Never run the motor for more than 30 seconds with coolant.",
            "Never run the motor without coolant.",
            "Never run the motor for more than 30 seconds.",
        ),
    ),
    case(
        "The clock crystal oscillates at 32,768 Hz.",
        true=(
            "The clock crystal oscillates at 32.768 kHz.",
            "The clock crystal oscillates at 32768 hertz.",
        ),
        false=(
            "The clock crystal oscillates at 32.768 Hz.",
            "The clock crystal oscillates at 32,768 kHz.",
            "The clock crystal oscillates at 32,786 Hz.",
            "The clock crystal does not oscillate at 32,768 Hz.",
            "The clock crystal oscillates at up to 32,768 Hz.",
        ),
    ),
    case(
        "Returned goods are accepted within 30 days of delivery.",
        true=(
            "Returned goods are accepted within thirty days of delivery.",
            "Within 30 days of delivery, returned goods are accepted.",
        ),
        false=(
            "Returned goods are accepted within 30 months of delivery.",
            "Returned goods are accepted within 13 days of delivery.",
            "Returned goods are accepted after 30 days of delivery.",
            "Returned goods are accepted within 30 days of purchase.",
            "Returned goods are accepted.",
            "All returned goods are accepted within 30 days of delivery.",
        ),
    ),
    case(
        "Each battery pack has a capacity of 5,000 mAh and weighs 210 g.",
        true=(
            "The capacity of each battery pack is 5,000 mAh.",
            "Every battery pack weighs 210 grams.",
            "Each battery pack weighs 0.21 kg and has a capacity of 5 Ah.",
            "Each battery pack's capacity is 5000 mAh.",
        ),
        false=(
            "Each battery pack has a capacity of 210 mAh and weighs 5,000 g.",
            "Each battery pack weighs 210 kg.",
            "The capacity of each battery pack is 5,000 Ah.",
            "Some battery packs weigh 210 g.",
            "Each battery pack has a capacity of at least 5,000 mAh.",
            "Each battery pack has a capacity of 5,000 mAh and costs 210 g.",
        ),
    ),
    case(
        "The controller sends the joint angles to the base station every 20 ms.",
        true=(
            "Every 20 ms, the controller sends the joint angles to the base station.",
            "The joint angles are sent to the base station by the controller every 20 ms.",
            "The controller sends the base station the joint angles every 20 milliseconds.",
        ),
        false=(
            "The base station sends the joint angles to the controller every 20 ms.",
            "The controller sends the joint angles to the base station every 20 s.",
            "The controller receives the joint angles from the base station every 20 ms.",
            "The controller sends the base station to the joint angles every 20 ms.",
            "The controller sends the joint torques to the base station every 20 ms.",
            "The controller is sent the joint angles by the base station every 20 ms.",
        ),
    ),
    case(
        "Store the reagent between 2 and 8 °C and protect it from light.",
        true=(
            "The reagent must be stored between 2 and 8 °C.",
            "Store the reagent at 2 to 8 °C.",
        ),
        beyond=("Protect the reagent from light and store it at 2–8 °C.",),
        false=(
            "Store the reagent between 2 and 18 °C.",
            "Store the reagent below 2 °C.",
            "Store the reagent between 2 and 8 °F.",
            "Expose the reagent to light.",
            "Do not protect the reagent from light.",
            "Freeze the reagent between 2 and 8 °C.",
        ),
    ),
    case(
        "Only certified technicians may open the cabinet.",
        true=(
            "The cabinet may only be opened by certified technicians.",
            "Only certified technicians are allowed to open the cabinet.",
        ),
        false=(
            "Certified technicians may only open the cabinet.",
            "Anyone may open the cabinet.",
            "Only certified technicians must open the cabinet.",
            "Certified technicians may not open the cabinet.",
            "Only certified technicians may close the cabinet.",
            "All technicians may open the cabinet.",
        ),
    ),
    case(
        "Tighten the four bolts to 12 Nm in a crosswise pattern.",
        true=(
            "The four bolts must be tightened to 12 Nm in a crosswise pattern.",
            "You need to tighten the 4 bolts to 12 Nm in a crosswise pattern.",
        ),
        false=(
            "Tighten the four bolts to 21 Nm in a crosswise pattern.",
            "Loosen the four bolts to 12 Nm in a crosswise pattern.",
            "Tighten the twelve bolts to 4 Nm in a crosswise pattern.",
            "Tighten the four bolts to at least 12 Nm in a crosswise pattern.",
            "Tighten the four nuts to 12 Nm in a crosswise pattern.",
        ),
    ),
    case(
        "The heater switches off when the water reaches 60 °C.",
        true=(
            "When the water reaches 60 °C, the heater switches off.",
            "The heater turns off when the water reaches 60 °C.",
        ),
        beyond=("As soon as the water reaches 60 °C, the heater switches off.",),
        false=(
            "The heater switches on when the water reaches 60 °C.",
            "The heater switches off before the water reaches 60 °C.",
            "The heater switches off when the water reaches 16 °C.",
            "When the heater switches off, the water reaches 60 °C.",
            "The water switches off when the heater reaches 60 °C.",
            "The heater switches off.",
        ),
    ),
    case(
        "Do not disconnect the cable while data is being written.",
        true=(
            "While data is being written, do not disconnect the cable.",
            "The cable must not be disconnected while data is being written.",
            "Don't disconnect the cable while data is being written.",
        ),
        false=(
            "Disconnect the cable while data is being written.",
            "Do not connect the cable while data is being written.",
            "Do not disconnect the cable.",
            "Do not disconnect the cable after data is written.",
            "The cable need not be disconnected while data is being written.",
            "Do not disconnect the cable while data is being read.",
        ),
    ),
    case(
        "The filter should be cleaned once a month and replaced once a year.",
        true=(
            "The filter should be cleaned once per month.",
            "You should clean the filter once a month and replace it once a year.",
            "The filter should be replaced once a year.",
        ),
        false=(
            "The filter should be cleaned once a year and replaced once a month.",
            "The filter should be cleaned once a week.",
            "The filter must be cleaned once a month.",
            "The filter should be cleaned twice a month.",
            "The filter should not be cleaned once a month.",
            "The filter should be replaced once a month.",
        ),
    ),
)

REFERENCE = (
    case(
        "The bridge, which was designed by Anna Keller, opened in 1932.",
        true=(
            "The bridge opened in 1932.",
            "The bridge was designed by Anna Keller.",
            "Anna Keller designed the bridge.",
            "In 1932, the bridge opened.",
        ),
        false=(
            "The bridge was designed by Anna Keller in 1932.",
            "The bridge closed in 1932.",
            "The bridge opened in 1923.",
            "The bridge was designed by Hanna Keller.",
            "The bridge designed Anna Keller.",
            "The bridge opened before 1932.",
        ),
    ),
    case(
        "Iceland gained its independence from Denmark on 17 June 1944.",
        true=(
            "On 17 June 1944, Iceland gained its independence from Denmark.",
            "Iceland gained its independence from Denmark on June 17, 1944.",
        ),
        false=(
            "Denmark gained its independence from Iceland on 17 June 1944.",
            "Iceland gained its independence from Norway on 17 June 1944.",
            "Iceland gained its independence from Denmark on 17 July 1944.",
            "Iceland gained its independence from Denmark on 7 June 1944.",
            "Iceland lost its independence to Denmark on 17 June 1944.",
        ),
    ),
    case(
        "Copper conducts heat better than iron.",
        true=(
            "Copper conducts heat better than iron does.",
            "Iron conducts heat worse than copper.",
        ),
        false=(
            "Iron conducts heat better than copper.",
            "Copper conducts heat worse than iron.",
            "Copper conducts heat as well as iron.",
            "Copper conducts electricity better than iron.",
            "Copper conducts heat best.",
            "Copper conducts heat better than all metals.",
        ),
    ),
    case(
        "Some historians believe that the letter was forged in 1820.",
        beyond=("According to some historians, the letter was forged in 1820.",),
        false=(
            "The letter was forged in 1820.",
            "Historians believe that the letter was forged in 1820.",
            "All historians believe that the letter was forged in 1820.",
            "Some historians believe that the letter was found in 1820.",
            "It is certain that the letter was forged in 1820.",
            "Some historians doubt that the letter was forged in 1820.",
        ),
    ),
    case(
        "The museum was planned to open in 2019, but it opened two years later.",
        true=("The museum was planned to open in 2019.",),
        false=(
            "The museum opened in 2019.",
            "The museum was open in 2019.",
            "The museum opened two years earlier.",
            "The museum planned to open in 2020.",
        ),
    ),
    case(
        "Most bats are nocturnal and feed on insects.",
        true=("Most bats feed on insects.", "Most bats feed on insects and are nocturnal."),
        false=(
            "Bats are nocturnal.",
            "All bats are nocturnal and feed on insects.",
            "Few bats feed on insects.",
            "Most insects feed on bats.",
            "Most bats are diurnal and feed on insects.",
            "Most bats are not nocturnal.",
            "Most nocturnal bats feed on insects.",
        ),
    ),
    case(
        "The company was founded in Graz in 1998 by two students.",
        true=(
            "In 1998, the company was founded in Graz by two students.",
            "Two students founded the company in Graz in 1998.",
            "The company was founded by two students in Graz in 1998.",
        ),
        false=(
            "The company was founded in Graz in 1998 by two professors.",
            "The company was founded in Linz in 1998 by two students.",
            "The company was founded in Graz in 1998 by three students.",
            "The company founded two students in Graz in 1998.",
            "The company was founded in Graz in 1989 by two students.",
            "The company was dissolved in Graz in 1998 by two students.",
        ),
    ),
    case(
        "The river flows from the northern hills to the southern coast.",
        true=("From the northern hills, the river flows to the southern coast.",),
        false=(
            "The river flows from the southern coast to the northern hills.",
            "The river flows to the northern hills from the southern coast.",
            "The river flows from the northern coast to the southern hills.",
            "The river flows from the northern hills to the eastern coast.",
        ),
    ),
    case(
        "Smoking causes most cases of lung cancer.",
        true=("Most cases of lung cancer are caused by smoking.",),
        false=(
            "Lung cancer causes most cases of smoking.",
            "Smoking causes all cases of lung cancer.",
            "Smoking causes some cases of lung cancer, and most of asthma.",
            "Smoking prevents most cases of lung cancer.",
            "Smoking is caused by most cases of lung cancer.",
            "Smoking causes most cases of throat cancer.",
        ),
    ),
    case(
        "The tower is 324 metres high and has three levels for visitors.",
        true=(
            "The tower's height is 324 m.",
            "The height of the tower is 324 meters.",
            "The tower has 3 levels for visitors.",
        ),
        false=(
            "The tower is 324 feet high.",
            "The tower is 3 metres high and has 324 levels for visitors.",
            "The tower is 324 metres wide.",
            "The tower has three levels.",
            "The tower has no levels for visitors.",
            "The tower is over 324 metres high.",
        ),
    ),
    case(
        "About 40 percent of the island is covered by forest.",
        true=(
            "Forest covers about 40 % of the island.",
            "Approximately 40% of the island is covered by forest.",
        ),
        false=(
            "Exactly 40 percent of the island is covered by forest.",
            "About 40 percent of the forest is covered by the island.",
            "About 14 percent of the island is covered by forest.",
            "About 40 percent of the island is not covered by forest.",
            "More than 40 percent of the island is covered by forest.",
            "40 percent of the island is covered by forest.",
        ),
    ),
    case(
        "Because ice is less dense than water, it floats.",
        true=("Ice is less dense than water.", "Water is more dense than ice."),
        false=(
            "Because ice is denser than water, it floats.",
            "Water is less dense than ice.",
            "Because ice floats, it is less dense than water.",
            "Ice is less dense than oil.",
            "Although ice is less dense than water, it floats.",
            "Because ice is less dense than water, it sinks.",
        ),
    ),
    case(
        "The treaty was signed by France and Spain, but Portugal did not sign it.",
        true=(
            "France and Spain signed the treaty.",
            "The treaty was signed by Spain and France.",
        ),
        beyond=("Portugal did not sign the treaty.",),
        false=(
            "The treaty was signed by France and Portugal.",
            "Portugal signed the treaty.",
            "Spain did not sign the treaty.",
            "The treaty was not signed by France and Spain.",
            "France, Spain and Portugal signed the treaty.",
            "The treaty was signed by France or Spain.",
        ),
    ),
    case(
        "The lake froze completely in the winter of 1963.",
        true=("In the winter of 1963, the lake froze completely.",),
        false=(
            "The lake froze partly in the winter of 1963.",
            "The lake froze completely in the winter of 1936.",
            "The lake froze completely every winter.",
            "The lake never froze completely in the winter of 1963.",
        ),
    ),
)

SOFTWARE = (
    case(
        "The scheduler retries a failed job up to three times before it is marked as dead.",
        true=(
            "A failed job is retried by the scheduler at most 3 times before it is marked as dead.",
            "Before it is marked as dead, the scheduler retries a failed job up to three times.",
        ),
        false=(
            "The scheduler retries a failed job at least three times before it is marked as dead.",
            "The scheduler retries a failed job up to three times after it is marked as dead.",
            "The scheduler retries a dead job up to three times before it is marked as failed.",
            "The scheduler retries a failed job up to three times.",
            "The scheduler does not retry a failed job.",
            "The scheduler retries every job up to three times before it is marked as dead.",
        ),
    ),
    case(
        "Set `max_retries` to 0 to disable retries.",
        true=(
            "To disable retries, set `max_retries` to 0.",
            "You can disable retries by setting `max_retries` to 0.",
            "You can set `max_retries` to zero to disable retries.",
        ),
        false=(
            "Set `max_retries` to 1 to disable retries.",
            "Set `max_retries` to 0 to enable retries.",
            "Set `min_retries` to 0 to disable retries.",
            "Disable retries to set `max_retries` to 0.",
            "Do not set `max_retries` to 0 to disable retries.",
            "Set `MAX_RETRIES` to 10 to disable retries.",
        ),
    ),
    case(
        "By default, the server listens on port 8080.",
        true=(
            "The server listens on port 8080 by default.",
            "According to the documentation, the server listens on port 8080 by default.",
        ),
        false=(
            "The server listens on port 8000 by default.",
            "The server always listens on port 8080.",
            "The server listens on port 8080.",
            "By default, the client listens on port 8080.",
            "By default, the server does not listen on port 8080.",
        ),
    ),
    case(
        "The cache is cleared when the process restarts, so sessions are lost.",
        true=(
            "When the process restarts, the cache is cleared.",
            "The cache is cleared when the process restarts.",
        ),
        false=(
            "The process restarts when the cache is cleared.",
            "The cache is kept when the process restarts.",
            "The cache is cleared until the process restarts.",
            "Sessions are lost.",
            "The cache is cleared when the session is lost.",
        ),
    ),
    case(
        "Users can export their data as CSV, JSON and XML files.",
        true=(
            "Users can export their data as JSON, XML and CSV files.",
            "Users are able to export their data as CSV, JSON and XML files.",
        ),
        false=(
            "Users can export their data as CSV, JSON or PDF files.",
            "Users can import their data as CSV, JSON and XML files.",
            "Users cannot export their data as CSV, JSON and XML files.",
            "Users must export their data as CSV, JSON and XML files.",
            "Admins can export their data as CSV, JSON and XML files.",
            "Users can export only their data as CSV files.",
        ),
    ),
    case(
        "A request that takes longer than 30 seconds is cancelled.",
        true=(
            "A request is cancelled if it takes longer than 30 seconds.",
            "Requests that take longer than 30 seconds are canceled.",
            "A request which takes longer than 30 s is cancelled.",
        ),
        false=(
            "A request is cancelled.",
            "A request that takes less than 30 seconds is cancelled.",
            "A request that takes longer than 30 minutes is cancelled.",
            "A request that is cancelled takes longer than 30 seconds.",
            "A request that takes longer than 30 seconds is retried.",
            "Every request takes longer than 30 seconds.",
        ),
    ),
    case(
        "Passwords are stored as hashes, not as plain text.",
        true=("Passwords are stored as hashes.", "Passwords are not stored as plain text."),
        false=(
            "Passwords are stored as plain text.",
            "Passwords are not stored as hashes.",
            "Hashes are stored as passwords.",
            "Passwords are stored as plain text, not as hashes.",
        ),
    ),
    case(
        "The index is rebuilt every night at 2 am.",
        true=(
            "Every night at 02:00, the index is rebuilt.",
            "The index is rebuilt at 2:00 a.m. every night.",
            "Each night at 2 am, the index is rebuilt.",
        ),
        false=(
            "The index is rebuilt every night at 2 pm.",
            "The index is rebuilt every night at 3 am.",
            "The index is rebuilt every week at 2 am.",
            "The index is deleted every night at 2 am.",
            "The index is rebuilt at 2 am.",
        ),
    ),
    case(
        "The API accepts files of up to 10 MB.",
        true=(
            "The API accepts files of at most 10 megabytes.",
            "Files of up to 10 MB are accepted by the API.",
        ),
        false=(
            "The API accepts files of at least 10 MB.",
            "The API accepts files of 10 MB or more.",
            "The API accepts files of up to 10 MiB.",
            "The API accepts files of up to 100 MB.",
            "The API rejects files of up to 10 MB.",
            "The API accepts files.",
        ),
    ),
    case(
        "Deleting a project also deletes its repositories.",
        true=("Deleting a project deletes its repositories.",),
        false=(
            "Deleting a project keeps its repositories.",
            "Deleting a repository also deletes its projects.",
            "Deleting a project does not delete its repositories.",
            "Deleting a project deletes all repositories.",
        ),
    ),
    case(
        "The service starts after the database is ready.",
        true=(
            "After the database is ready, the service starts.",
            "The service begins after the database is ready.",
        ),
        false=(
            "The service starts before the database is ready.",
            "The database is ready after the service starts.",
            "The service starts until the database is ready.",
            "The service stops after the database is ready.",
            "The service starts.",
        ),
    ),
    case(
        "The plugin supports Linux and macOS, but it doesn't support Windows.",
        true=(
            "The plugin supports macOS and Linux.",
            "The plugin supports Linux.",
            "The plugin does not support Windows.",
            "Linux and macOS are supported by the plugin.",
        ),
        false=(
            "The plugin supports Windows.",
            "The plugin supports Linux and Windows.",
            "The plugin doesn't support macOS.",
            "The plugin supports only Linux.",
            "Linux supports the plugin.",
        ),
    ),
    case(
        "Tokens expire 24 hours after they are issued.",
        true=(
            "Tokens expire one day after they are issued.",
            "Tokens expire twenty-four hours after being issued.",
        ),
        false=(
            "Tokens expire 24 minutes after they are issued.",
            "Tokens expire 24 hours before they are issued.",
            "Tokens are issued 24 hours after they expire.",
            "Tokens expire within 24 hours after they are issued.",
            "Tokens never expire.",
        ),
    ),
    case(
        "When a node fails, its pods are moved to another node within 5 minutes.",
        true=("If a node fails, its pods are moved to another node within 5 min.",),
        beyond=("The pods of a node are moved to another node within 5 minutes when it fails.",),
        false=(
            "When a node fails, its pods are moved to another node after 5 minutes.",
            "When a pod fails, its nodes are moved to another pod within 5 minutes.",
            "When a node fails, its pods are deleted within 5 minutes.",
            "When a node fails, its pods are moved to another node within 5 hours.",
            "Pods are moved to another node within 5 minutes.",
        ),
    ),
    case(
        "Use a read replica rather than the primary for reports.",
        true=("For reports, use a read replica rather than the primary.",),
        false=(
            "Use the primary rather than a read replica for reports.",
            "Use a read replica and the primary for reports.",
            "Use a read replica rather than the primary for backups.",
            "Use the primary for reports.",
        ),
    ),
)

EVERYDAY = (
    case(
        "Bake the bread for 35 to 40 minutes at 220 °C.",
        true=(
            "Bake the bread at 220 °C for 35–40 minutes.",
            "The bread must be baked for between 35 and 40 minutes at 220 °C.",
        ),
        false=(
            "Bake the bread for 35 to 45 minutes at 220 °C.",
            "Bake the bread for 40 minutes at 220 °C.",
            "Bake the bread for 35 to 40 minutes at 200 °C.",
            "Bake the bread for 35 to 40 seconds at 220 °C.",
            "Freeze the bread for 35 to 40 minutes at 220 °C.",
        ),
    ),
    case(
        "Children under 12 must be accompanied by an adult.",
        true=(
            "An adult must accompany children under 12.",
            "Children under the age of 12 must be accompanied by an adult.",
        ),
        false=(
            "Children over 12 must be accompanied by an adult.",
            "Children under 12 may be accompanied by an adult.",
            "Children must be accompanied by an adult.",
            "Adults must be accompanied by children under 12.",
            "Children under 21 must be accompanied by an adult.",
            "Children under 12 must not be accompanied by an adult.",
        ),
    ),
    case(
        "The library opens at 9 am on weekdays and at 11 am on Sundays.",
        true=(
            "On weekdays, the library opens at 9 am.",
            "The library opens at 9:00 on weekdays.",
        ),
        false=(
            "The library opens at 11 am on weekdays.",
            "The library opens at 9 am on Sundays.",
            "The library closes at 9 am on weekdays.",
            "The library opens at 9 pm on weekdays.",
            "The library opens at 9 am.",
            "The library opens at 9 am on Sundays and at 11 am on weekdays.",
        ),
    ),
    case(
        "Taking the tablets with milk reduces their effect.",
        beyond=("The effect of the tablets is reduced by taking them with milk.",),
        false=(
            "Taking the tablets with milk increases their effect.",
            "Taking the tablets with water reduces their effect.",
            "Taking the tablets reduces their effect.",
            "Taking the tablets without milk reduces their effect.",
        ),
    ),
    case(
        "Members pay 5 euros, while guests pay 8 euros.",
        true=("Members pay €5.", "Guests pay 8 euros.", "Guests pay EUR 8."),
        false=(
            "Members pay 8 euros.",
            "Guests pay €5.",
            "Members pay 8 euros, while guests pay 5 euros.",
            "Members pay 5 dollars.",
            "Guests pay at least 8 euros.",
            "Members pay 5 euros per guest.",
        ),
    ),
    case(
        "The deposit is refunded if the room is left clean.",
        true=(
            "If the room is left clean, the deposit is refunded.",
            "The deposit will be refunded if the room is left clean.",
        ),
        false=(
            "The deposit is refunded.",
            "The deposit is refunded even if the room is left dirty.",
            "The deposit is refunded unless the room is left clean.",
            "The deposit is kept if the room is left clean.",
            "The room is left clean if the deposit is refunded.",
            "The deposit is not refunded if the room is left clean.",
        ),
    ),
    case(
        "Maria lent her brother Tom a bicycle.",
        true=("Maria lent a bicycle to her brother Tom.",),
        false=(
            "Tom lent Maria a bicycle.",
            "Maria borrowed a bicycle from her brother Tom.",
            "Maria lent her brother Tom a car.",
            "Maria gave her brother Tom a bicycle.",
            "A bicycle was lent to Maria by her brother Tom.",
        ),
    ),
    case(
        "At least five members have to be present for a vote.",
        true=(
            "For a vote, at least 5 members must be present.",
            "Five or more members must be present for a vote.",
            "No fewer than five members have to be present for a vote.",
        ),
        false=(
            "At most five members have to be present for a vote.",
            "More than five members have to be present for a vote.",
            "Five members have to be present for a vote.",
            "At least four members have to be present for a vote.",
            "At least five members have to be absent for a vote.",
            "At least five members may be present for a vote.",
        ),
    ),
    case(
        "The train is faster than the bus, but the bus is cheaper.",
        true=("The train is faster than the bus.", "The bus is slower than the train."),
        false=(
            "The bus is faster than the train.",
            "The train is slower than the bus.",
            "The train is cheaper than the bus.",
            "The train is the fastest.",
            "The train is cheaper.",
        ),
    ),
    case(
        "Half of the visitors came from abroad.",
        true=(
            "50 % of the visitors came from abroad.",
            "Fifty percent of visitors came from abroad.",
        ),
        false=(
            "All of the visitors came from abroad.",
            "A third of the visitors came from abroad.",
            "Half of the visitors went abroad.",
            "More than half of the visitors came from abroad.",
            "Half of the guides came from abroad.",
        ),
    ),
    case(
        "Water the seedlings twice a day until they are 10 cm tall.",
        true=(
            "Until they are 10 cm tall, water the seedlings twice a day.",
            "The seedlings must be watered twice a day until they are 100 mm tall.",
            "Water the seedlings two times per day until they are 10 cm tall.",
        ),
        false=(
            "Water the seedlings twice a day.",
            "Water the seedlings twice a day once they are 10 cm tall.",
            "Water the seedlings twice a week until they are 10 cm tall.",
            "Water the seedlings once a day until they are 10 cm tall.",
            "Water the seedlings twice a day until they are 10 m tall.",
        ),
    ),
)

NEIGHBOURS = (
    case(
        "The sensor runs at 5 V.",
        "It draws 20 mA.",
        true=(
            "The sensor runs at 5 V and draws 20 mA.",
            "The sensor draws 20 mA.",
            "The sensor draws 0.02 A and runs at 5 volts.",
        ),
        false=(
            "The sensor runs at 20 V and draws 5 mA.",
            "The sensor draws 20 A.",
            "The sensor runs at 5 V if it draws 20 mA.",
            "The sensor runs at 5 V or draws 20 mA.",
            "The sensor runs at 5 V because it draws 20 mA.",
        ),
    ),
    case(
        "Mount Orrin is the highest peak of the range.",
        "It was first climbed in 1871.",
        true=(
            "Mount Orrin was first climbed in 1871.",
            "Mount Orrin, the highest peak of the range, was first climbed in 1871.",
            "Mount Orrin is the highest peak of the range and was first climbed in 1871.",
        ),
        false=(
            "Mount Orrin was last climbed in 1871.",
            "The range was first climbed in 1871.",
            "Mount Orrin was first climbed in 1817.",
            "Mount Orrin is the lowest peak of the range.",
            "Mount Orrin was first climbed before 1871.",
        ),
    ),
    case(
        "The north gate is open until 6 pm.",
        "The south gate is open until 8 pm.",
        true=(
            "The north gate is open until 6 pm and the south gate is open until 8 pm.",
            "The north gate is open until 18:00.",
            "Until 8 pm, the south gate is open.",
        ),
        false=(
            "The north gate is open until 8 pm.",
            "The south gate is open until 6 pm.",
            "The north gate is open until 8 pm and the south gate is open until 6 pm.",
            "The north gate is open from 6 pm.",
            "Both gates are open until 8 pm.",
            "The north gate is closed until 6 pm.",
        ),
    ),
    case(
        "Priya wrote the first version in 2011.",
        "Jonas rewrote it in 2015.",
        true=(
            "Priya wrote the first version in 2011, and Jonas rewrote it in 2015.",
            "In 2011, Priya wrote the first version.",
            "The first version was written by Priya in 2011.",
        ),
        false=(
            "Jonas wrote the first version in 2011.",
            "Priya rewrote it in 2015.",
            "Priya wrote the first version in 2015.",
            "Priya wrote the first version in 2011, and Jonas deleted it in 2015.",
            "Jonas wrote the first version in 2011, and Priya rewrote it in 2015.",
        ),
    ),
    case(
        "Use the blue cable for power.",
        "Use the red cable for data.",
        true=(
            "Use the blue cable for power and the red cable for data.",
            "For data, use the red cable.",
            "The blue cable must be used for power.",
        ),
        false=(
            "Use the red cable for power.",
            "Use the blue cable for data.",
            "Use the red cable for power and the blue cable for data.",
            "Use the blue cable for power or data.",
            "Do not use the blue cable for power.",
        ),
    ),
)

ROWS_AND_ITEMS = (
    case(
        "| Sensor | Standard deviation |",
        "| Gyroscope | 0.07 °/s |",
        "| Head lidar | 12 mm |",
        true=(
            "The standard deviation of the head lidar is 12 mm.",
            "The head lidar has a standard deviation of 12 mm.",
            "The head lidar's standard deviation is 1.2 cm.",
        ),
        false=(
            "The standard deviation of the gyroscope is 12 mm.",
            "The head lidar is 12 mm.",
            "The range of the head lidar is 12 mm.",
            "The standard deviation of the head lidar is 0.07 °/s.",
            "The standard deviation of the head lidar is 12 cm.",
        ),
    ),
    case(
        "| Parameter | Value |",
        "| Supply voltage | 12 V |",
        "| Current | 2 A |",
        true=("The supply voltage is 12 V.", "The current is 2 amperes."),
        false=(
            "The supply voltage is 2 V.",
            "The current is 12 A.",
            "The maximum supply voltage is 12 V.",
            "The supply voltage is not 12 V.",
        ),
    ),
    case(
        "Warranty: two years",
        true=("The warranty is two years.", "The warranty is 2 years."),
        false=(
            "The warranty is two months.",
            "The warranty is at least two years.",
            "There is no warranty.",
        ),
    ),
)

VARIED = (
    case(
        "A quorum is reached when two thirds of the council are present.",
        true=(
            "When two thirds of the council are present, a quorum is reached.",
            "If two thirds of the council are present, a quorum is reached.",
        ),
        false=(
            "A quorum is reached when one third of the council is present.",
            "A quorum is lost when two thirds of the council are present.",
            "When a quorum is reached, two thirds of the council are present.",
            "A quorum is reached when two thirds of the council are absent.",
        ),
    ),
    case(
        "Dr Lin discovered the fossil in 1987 while she was surveying the cave.",
        true=("The fossil was discovered by Dr Lin in 1987 while she was surveying the cave.",),
        false=(
            "Dr Lin discovered the cave in 1987 while she was surveying the fossil.",
            "Dr Lin buried the fossil in 1987 while she was surveying the cave.",
            "Dr Lin discovered the fossil in 1987 after she was surveying the cave.",
            "Dr Chen discovered the fossil in 1987 while she was surveying the cave.",
        ),
    ),
    case(
        "Employees are entitled to 25 days of paid leave per year.",
        true=(
            "Per year, employees are entitled to 25 days of paid leave.",
            "Employees are entitled to twenty-five days of paid leave each year.",
        ),
        false=(
            "Employees are entitled to 25 days of unpaid leave per year.",
            "Employees are entitled to 25 weeks of paid leave per year.",
            "Employees are entitled to 25 days of paid leave per month.",
            "Employers are entitled to 25 days of paid leave per year.",
            "Employees are not entitled to 25 days of paid leave per year.",
        ),
    ),
    case(
        "The drone returns to its base as soon as the battery falls below 20 %.",
        true=(
            "As soon as the battery falls below 20 percent, the drone returns to its base.",
            "Once the battery drops below 20 %, the drone returns to its base.",
        ),
        false=(
            "The drone returns to its base as soon as the battery rises above 20 %.",
            "The drone returns to its base until the battery falls below 20 %.",
            "The drone leaves its base as soon as the battery falls below 20 %.",
            "The drone returns to its base as soon as the battery falls below 12 %.",
            "The drone returns to its base.",
        ),
    ),
    case(
        "Wash your hands thoroughly with soap after touching raw meat.",
        true=(
            "After touching raw meat, wash your hands thoroughly with soap.",
            "You must wash your hands thoroughly with soap after you touch raw meat.",
        ),
        false=(
            "Wash your hands thoroughly with soap before touching raw meat.",
            "Wash your hands thoroughly without soap after touching raw meat.",
            "Wash your hands thoroughly with soap after touching cooked meat.",
            "Wash the raw meat thoroughly with soap after touching your hands.",
        ),
    ),
    case(
        "The lower house elects the chancellor, and the president appoints the judges.",
        true=(
            "The chancellor is elected by the lower house.",
            "The judges are appointed by the president.",
            "The president appoints the judges.",
        ),
        false=(
            "The president elects the chancellor.",
            "The lower house appoints the judges.",
            "The judges appoint the president.",
            "The chancellor elects the lower house.",
            "The upper house elects the chancellor.",
        ),
    ),
    case(
        "Light travels more slowly in glass than in air.",
        beyond=("In glass, light travels more slowly than in air.",),
        false=(
            "Light travels more slowly in air than in glass.",
            "Light travels faster in glass than in air.",
            "Sound travels more slowly in glass than in air.",
            "Light travels slowly in air.",
        ),
    ),
    case(
        "Not all mushrooms are edible.",
        true=("Not all mushrooms are edible.",),
        false=(
            "All mushrooms are edible.",
            "No mushrooms are edible.",
            "Mushrooms are not edible.",
            "Mushrooms are edible.",
            "All mushrooms are not edible.",
        ),
    ),
    case(
        "You can restore a deleted note within 14 days.",
        true=(
            "A deleted note can be restored within 14 days.",
            "Within 14 days, you can restore a deleted note.",
            "You can restore a deleted note within two weeks.",
        ),
        false=(
            "A deleted note can be restored within 14 hours.",
            "A deleted note cannot be restored within 14 days.",
            "A deleted note can be restored after 14 days.",
            "You must restore a deleted note within 14 days.",
            "A restored note can be deleted within 14 days.",
            "A deleted note can be restored.",
        ),
    ),
    case(
        "The east wing was added in 1904; the tower was never finished.",
        true=("The east wing was added in 1904.", "The tower was never finished."),
        false=(
            "The tower was added in 1904.",
            "The tower was finished.",
            "The east wing was never finished.",
            "The west wing was added in 1904.",
            "The tower was finished in 1904.",
        ),
    ),
)

PASSAGES = (
    case(
        "The Heron 3 is a two-armed kitchen robot.",
        "It weighs 48 kg and stands 1.6 m tall.",
        "Each arm has seven joints and can lift 4 kg.",
        "The robot must be switched off before its grippers are cleaned.",
        "If a gripper is blocked for more than two seconds, the arm stops and a red light flashes.",
        "The battery lasts up to six hours, but it lasts only four hours when both arms work.",
        "Charging takes 90 minutes.",
        "The manufacturer recommends replacing the belts every 18 months.",
        true=(
            "The Heron 3 weighs 48 kilograms.",
            "The Heron 3 is 1.6 metres tall.",
            "Each arm has 7 joints.",
            "Every arm can lift four kilograms.",
            "Before its grippers are cleaned, the robot must be switched off.",
            "Switch off the robot before you clean its grippers.",
            "The arm stops if a gripper is blocked for more than 2 s.",
            "If a gripper is blocked for more than two seconds, a red light flashes.",
            "The battery lasts only four hours if both arms work.",
            "When both arms work, the battery lasts only four hours.",
            "Charging takes 1.5 hours.",
            "Every 18 months, the manufacturer recommends replacing the belts.",
            "The weight of the Heron 3 is 48 kg.",
            "The robot has to be turned off before its grippers are cleaned.",
            "You must turn off the robot before cleaning its grippers.",
        ),
        false=(
            "The Heron 3 weighs 1.6 kg and stands 48 m tall.",
            "Each arm has four joints and can lift 7 kg.",
            "The robot must be switched off after its grippers are cleaned.",
            "The robot should be switched on before its grippers are cleaned.",
            "If a gripper is blocked for more than two minutes, the arm stops.",
            "The arm stops.",
            "A red light flashes.",
            "If a gripper is blocked, the arm stops.",
            "The arm stops if a red light flashes.",
            "The battery lasts six hours.",
            "The battery lasts only four hours.",
            "The battery lasts up to six hours when both arms work.",
            "The battery lasts four hours.",
            "Charging takes 90 hours.",
            "The manufacturer recommends replacing the belts every 18 weeks.",
            "The manufacturer requires replacing the belts every 18 months.",
            "Replace the belts every 18 months.",
            "Both arms together have seven joints.",
            "The arms of the Heron 3 weigh 48 kg.",
            "Each gripper can lift 4 kg.",
        ),
        beyond=(
            "The battery lasts six hours at most.",
            "The battery lasts at most six hours.",
            "Charging takes an hour and a half.",
            "The manufacturer recommends replacing the belts every year and a half.",
            "The Heron 3 is a kitchen robot with two arms.",
            "It takes 90 minutes to charge the battery.",
        ),
    ),
    case(
        "Applications for the grant must be received by 31 March.",
        "Applicants need a degree and at least two years of experience.",
        "The jury reads each application twice and announces its decision in June.",
        "Winners receive 12,000 euros, which is paid in three instalments.",
        "The grant cannot be combined with other funding.",
        "A report is due within six months of the last payment.",
        "Anyone who fails to submit the report has to return the money.",
        true=(
            "Applications for the grant must be received by March 31.",
            "Applicants require a degree and two or more years of experience.",
            "Applicants need a degree.",
            "Applicants need at least 2 years of experience.",
            "Each application is read twice by the jury.",
            "The jury announces its decision in June.",
            "In June, the jury announces its decision.",
            "Winners receive €12,000.",
            "The grant can't be combined with other funding.",
            "You cannot combine the grant with other funding.",
            "It is not possible to combine the grant with other funding.",
            "Within six months of the last payment, a report is due.",
            "Anybody who fails to submit the report must return the money.",
            "A report is due within half a year of the last payment.",
            "The jury reads every application two times.",
        ),
        false=(
            "Applications for the grant must be received by 31 May.",
            "Applications for the grant must be sent by 31 March.",
            "Applicants need a degree or at least two years of experience.",
            "Applicants need at most two years of experience.",
            "The jury announces its decision twice.",
            "The jury reads each application in June.",
            "Winners receive 12,000 dollars.",
            "Winners receive 12,000 euros, which is paid in two instalments.",
            "The grant can be combined with other funding.",
            "A report is due within six weeks of the last payment.",
            "A report is due within six months of the first payment.",
            "Anyone who fails to submit the report may keep the money.",
            "Anyone who submits the report has to return the money.",
            "Winners have to return the money.",
            "Anyone has to return the money.",
        ),
        beyond=(
            "The 12,000 euros are paid in three instalments.",
            "Winners receive 12,000 euros in three instalments.",
            "The jury's decision is announced in June.",
        ),
    ),
    case(
        "The town of Velm was founded in 1312 by monks from Trier.",
        "Its harbour was destroyed by a storm in 1634 and rebuilt eleven years later.",
        "Today about 8,000 people live in Velm, most of whom work in tourism.",
        "The lighthouse, built in 1868, is 41 metres high and is open from May to September.",
        "Velm is smaller than its neighbour Harn, but older.",
        "The ferry to the islands runs twice a day in summer and once a day in winter.",
        true=(
            "Monks from Trier founded the town of Velm in 1312.",
            "In 1312, the town of Velm was founded by monks from Trier.",
            "Its harbour was destroyed in 1634 by a storm.",
            "Approximately 8,000 people live in Velm today.",
            "The lighthouse is 41 m high.",
            "The lighthouse was built in 1868.",
            "From May to September, the lighthouse is open.",
            "The lighthouse is open from May to September.",
            "In summer, the ferry to the islands runs two times per day.",
            "The ferry to the islands runs daily in winter.",
            "The ferry to the islands runs once a day in winter.",
            "Today, roughly 8000 people live in Velm.",
        ),
        false=(
            "Velm was destroyed by monks in 1634.",
            "The town of Velm was founded in 1634 by monks from Trier.",
            "Trier was founded in 1312 by monks from Velm.",
            "Its harbour was rebuilt in 1634.",
            "Its harbour was rebuilt eleven years earlier.",
            "About 8,000 people work in tourism.",
            "The lighthouse is open.",
            "The lighthouse is open from September to May.",
            "Velm is smaller and younger than Harn.",
            "Velm is larger than its neighbour Harn.",
            "Harn is older than Velm.",
            "The ferry to the islands runs twice a day in winter.",
            "The ferry to the islands runs once a day in summer.",
            "The ferry to the islands runs twice a day.",
            "The lighthouse, built in 1868, is open.",
        ),
        beyond=(
            "Velm was founded in 1312.",
            "A storm destroyed the harbour of Velm in 1634.",
            "Harn is bigger than Velm.",
            "Velm is older than Harn.",
            "Velm is smaller than its neighbour Harn.",
        ),
    ),
    case(
        "To enable caching, set `CACHE_SIZE` to a value greater than zero.",
        "The cache holds the results of the last 500 queries.",
        "When it is full, the oldest entry is removed.",
        "Entries expire after ten minutes unless `CACHE_TTL` is set.",
        "The cache is not shared between processes.",
        "Run `cache stats` to see how often it was used.",
        "We do not recommend caching on machines with less than 1 GB of memory.",
        true=(
            "Set `CACHE_SIZE` to a value greater than zero to enable caching.",
            "You can enable caching by setting `CACHE_SIZE` to a value greater than 0.",
            "Caching is enabled by setting `CACHE_SIZE` to a value greater than zero.",
            "The results of the last 500 queries are held by the cache.",
            "Unless `CACHE_TTL` is set, entries expire after 10 minutes.",
            "Entries expire after 600 seconds unless `CACHE_TTL` is set.",
            "The cache isn't shared between processes.",
            "To see how often it was used, run `cache stats`.",
            "Caching is not recommended on machines with less than 1 GB of memory.",
            "We don't recommend caching on machines with under 1 GB of memory.",
        ),
        false=(
            "Set `CACHE_SIZE` to zero to enable caching.",
            "To disable caching, set `CACHE_SIZE` to a value greater than zero.",
            "The cache holds the results of the first 500 queries.",
            "The newest entry is removed when the cache is full.",
            "The oldest entry is removed.",
            "Entries expire after ten minutes.",
            "Entries expire after ten minutes if `CACHE_TTL` is set.",
            "The cache is shared between processes.",
            "We recommend caching on machines with less than 1 GB of memory.",
            "We do not recommend caching on machines with more than 1 GB of memory.",
            "We do not recommend caching.",
            "When it is empty, the oldest entry is removed.",
            "Entries never expire unless `CACHE_TTL` is set.",
            "Set `CACHE_TTL` to a value greater than zero to enable caching.",
        ),
        beyond=(
            "The cache stores the results of the last 500 queries.",
            "The oldest entry is removed when the cache is full.",
            "If the cache is full, the oldest entry is deleted.",
            "Processes do not share the cache.",
        ),
    ),
)

CASES = (
    *MANUALS,
    *REFERENCE,
    *SOFTWARE,
    *EVERYDAY,
    *NEIGHBOURS,
    *ROWS_AND_ITEMS,
    *VARIED,
    *PASSAGES,
)
